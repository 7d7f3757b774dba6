import { deliverNotices, ownNotices } from '../../client/hooks/deliver-notices.ts';
import type { FollowEnd, FollowEvent } from '../../client/look/follow.ts';
import type { Workplace } from '../../client/work/workplace.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { Invocation } from '../invocation.ts';
import { showFollowed } from './show-followed.ts';

/** A batch to follow. */
export interface FollowedBatch {
  readonly record: BatchRecord;
  /** False if a workflow of an earlier command may be there. */
  readonly isNew: boolean;
  /** Folder of its files, absolute; null: it has none. */
  readonly out: string | null;
}

/** Starts a batch and follows it to its end, and tells its hooks when it pauses by itself. */
export async function followAndTell(
  workplace: Workplace,
  { record, isNew, out }: FollowedBatch,
  { session, output, person, detach }: Invocation,
  signal: AbortSignal,
): Promise<FollowEnd | 'detached'> {
  const started = await workplace.start(record, { isNew });
  if (detach) return 'detached';
  const following = new AbortController();
  // `tune` may set a hook later.
  let { settings } = record;
  const seen = (batch: BatchRecord): void => {
    ({ settings } = batch);
  };
  // The event `ended` is delivered later, once the files are there.
  const until = following.signal;
  const told = {
    ...ownNotices(session.settings, await session.api()),
    ledger: await session.ledger(),
    batch: record.name,
    event: 'paused',
    say: output.say,
    signal,
    until,
    // So that a batch without hooks costs the ledger nothing.
    isWanted: () => hasHooks(settings),
  } as const;
  const telling = deliverNotices(told).catch(() => undefined);
  try {
    const waitWhilePaused = output.isInteractive && !person.yes;
    return await showFollowed(noting(workplace.follow(started, { out, signal, waitWhilePaused }), seen), output, out);
  } finally {
    following.abort();
    await telling;
  }
}

/** Batches of earlier versions lack both. */
function hasHooks({ onEnd = null, notify = null }: Partial<BatchRecord['settings']>): boolean {
  return onEnd !== null || notify !== null;
}

/** The same events; each state of the batch is noted. */
async function* noting(
  events: AsyncIterable<FollowEvent>,
  note: (batch: BatchRecord) => void,
): AsyncGenerator<FollowEvent, void, undefined> {
  for await (const event of events) {
    if (event.type === 'progress') note(event.standing.batch);
    yield event;
  }
}
