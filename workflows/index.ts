// Every function exported here is a workflow type.
export { runBatch } from './run-batch.ts';
export { runLane } from './run-lane.ts';
