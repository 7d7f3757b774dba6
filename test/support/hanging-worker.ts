/**
 * A worker whose activities hang, for tests that kill it. Arguments: address, task queue, identity. Prints `hangs` for
 * each activity that has begun.
 */
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { argv, stdout } from 'node:process';
import { compiledOf } from '../compiled.mjs';

const [address, taskQueue, identity] = argv.slice(2);
if (address === undefined || taskQueue === undefined || identity === undefined) {
  throw new Error('expected address, task queue, identity');
}
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  identity,
  workflowsPath: compiledOf('test/support/hanging-workflow.ts'),
  stickyQueueScheduleToStartTimeout: '1 s',
  activities: {
    hang: async (): Promise<number> => {
      stdout.write('hangs\n');
      await Context.current().cancelled;
      return 0;
    },
  },
});
await worker.run();
