// Every function exported here is a workflow type.
export { superviseBatch } from './supervise-batch.ts';
export { fireSchedule } from './fire-schedule.ts';
