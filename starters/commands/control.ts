import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { BatchRecord, Ledger } from '../../ledger/ledger.ts';
import { goOnCommand } from '../go-on-command.ts';
import { chooseBatch, openRecords } from '../open-records.ts';
import { reachWorker } from '../reach-worker.ts';
import { readSettings } from '../settings.ts';
import { awaitControl, sendControlNews } from '../start-workflow.ts';
import type { Output } from '../terminal/output.ts';

/**
 * `voxbatch pause|resume|stop [BATCH]`. The wish is written to the ledger: from that moment no new paid request is recorded
 * against it. Then the workflow is told, and `pause` and `stop` wait until no paid request is on the wire.
 */
export async function control(name: string | undefined, wanted: Control, output: Output): Promise<ExitName> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    const batch = await chooseBatch(ledger, name);
    if (batch.state === 'closed') {
      output.say(`Batch "${batch.name}" is finished; there is nothing to ${VERBS[wanted]}.`);
      return 'complete';
    }
    const temporal = await reachWorker(settings, output.say);
    try {
      const slow = setTimeout(() => {
        output.say('Waiting for the paid requests on the wire (a request may take 3 minutes) …');
      }, 2_000);
      const holds = await tell(ledger, batch, wanted, temporal?.client).finally(() => {
        clearTimeout(slow);
      });
      output.say(messageFor(batch, holds, wanted, temporal !== undefined));
      return 'complete';
    } finally {
      await temporal?.close();
    }
  } finally {
    await ledger.close();
  }
}

async function tell(ledger: Ledger, batch: BatchRecord, wanted: Control, client: Client | undefined): Promise<Control> {
  const holds = await ledger.setControl(batch.name, wanted);
  if (holds !== wanted || client === undefined) return holds;
  await sendControlNews(client, ledger, batch.name);
  if (wanted !== 'running') {
    // Whichever comes first: the worker may be ending, and then it brings its requests home without answering.
    await Promise.race([awaitControl(client, ledger, batch.name, PATIENCE_MS), emptyWire(ledger, batch.name)]);
  }
  return holds;
}

/** Resolves when no paid request of the batch is on the wire. */
async function emptyWire(ledger: Ledger, batch: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until && (await ledger.sending(batch)).length > 0) await sleep(LOOK_EVERY_MS);
}

/** A request waits 3 minutes at most. */
const PATIENCE_MS = 200_000;
const LOOK_EVERY_MS = 50;

const VERBS: Readonly<Record<Control, string>> = { running: 'resume', paused: 'pause', stopping: 'stop' };

function messageFor(batch: BatchRecord, holds: Control, wanted: Control, isWorkedOn: boolean): string {
  const about = `Batch "${batch.name}"`;
  if (holds !== wanted) return `${about} is being stopped; that cannot be taken back.`;
  const next = isWorkedOn ? '' : ` Nobody works on it now; go on with: ${goOnCommand(batch)}`;
  switch (holds) {
    case 'paused':
      return `${about} is paused: no paid request follows. Jobs that run are still fetched. Go on with: voxbatch resume ${batch.name}`;
    case 'running':
      return `${about} goes on.${next}`;
    case 'stopping':
      return `${about} is being stopped: no paid request follows, jobs that run are still fetched, the rest is cancelled.${next}`;
  }
}
