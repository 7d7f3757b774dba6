/** A Temporal worker with the SDK's default options, for the peers' workflows. */
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import * as activities from './activities.ts';

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' }),
  taskQueue: 'speech',
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
  activities,
});
await worker.run();
