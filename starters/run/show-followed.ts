import type { FollowEnd, FollowEvent } from '../../client/look/follow.ts';
import { haltMessage } from '../terminal/next-steps.ts';
import type { Output } from '../terminal/output.ts';
import { pauseMessage, standstillWords, waitMessage } from '../terminal/pause-words.ts';
import { ProgressDisplay } from '../terminal/progress.ts';

/**
 * Shows a batch that is followed: its progress, and a line for every other event. Returns the end. `out`: folder of its files; null: none
 * that is known.
 */
export async function showFollowed(
  events: AsyncIterable<FollowEvent>,
  output: Output,
  out: string | null = null,
): Promise<FollowEnd> {
  const display = new ProgressDisplay(output);
  for await (const event of events) {
    if (event.type === 'ended') {
      // A signal may have come just after what was to be shown last.
      display.end();
      return event;
    }
    if (event.type === 'progress') {
      display.show(event.standing, event.isLast);
      continue;
    }
    display.interrupt();
    for (const line of linesFor(event, out)) output.say(line);
  }
  throw new Error('Following a batch ended without saying why.');
}

function linesFor(
  event: Exclude<FollowEvent, { readonly type: 'ended' | 'progress' }>,
  out: string | null,
): readonly string[] {
  switch (event.type) {
    case 'paused': {
      const { batch, waits } = event;
      // A command that does not wait ends soon, and it is the one that works, so nobody is left.
      return [pauseMessage(batch, { isDeserted: !waits, out }), waitMessage(batch, waits)];
    }
    case 'stopping':
      return [stopMessage(event.batch)];
    case 'standstill':
      return [standstillWords(event.standstill, event.batch)];
    case 'restarted':
      return [`${event.message} It continues with a new one.`];
    case 'silent':
      return ['Temporal does not answer. This command and the workers wait for it.'];
  }
}

/** What a stopping batch still does. */
function stopMessage({ name, halted }: Extract<FollowEvent, { readonly type: 'stopping' }>['batch']): string {
  const why = halted === null ? `Batch "${name}" is stopping.` : haltMessage(halted);
  return `${why} No more paid requests are sent; the rest is cancelled.`;
}
