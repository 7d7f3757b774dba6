import { describe, expect, it } from '@jest/globals';
import type { WebhookEvent } from '../../../client/webhooks/webhook-options.ts';
import { webhookEventWords } from '../../../starters/terminal/webhook-event-words.ts';

const OLD = { type: 'known', url: 'https://old.example/a-secret-path' } as const;
const NONE = { type: 'known', url: null } as const;
const UNKNOWN = { type: 'unknown' } as const;
const SET = { type: 'set', to: 'https://here.example/…', port: 8765, result: 'set' } as const;
const over = (
  end: Extract<WebhookEvent, { type: 'over' }>['end'],
  before: Extract<WebhookEvent, { type: 'over' }>['before'] = OLD,
): WebhookEvent => ({ type: 'over', end, before, isLeftover: false });

describe('the words for what happens to the webhook', () => {
  it.each<[WebhookEvent, string]>([
    [
      { ...SET, before: OLD },
      'Webhooks come to https://here.example/…, which has to lead to port 8765 here. Before: https://old.example/….',
    ],
    [
      { ...SET, result: 'unseen', before: UNKNOWN },
      'port 8765 here. The profile does not show whether it was taken. Before: unknown.',
    ],
    [{ ...SET, before: NONE }, 'Before: none.'],
    [
      { type: 'not-taken', why: 'Not yours.', isFinal: true },
      'The webhook was not set: Not yours. Jobs are polled instead.',
    ],
    [
      { type: 'not-taken', why: 'Busy.', isFinal: false },
      'The webhook was not set: Busy. Jobs are polled instead. It is tried again every minute.',
    ],
    [{ type: 'foreign', to: 'https://ci.example/…' }, "has set the account's webhook (https://ci.example/…)"],
    [{ type: 'in-use' }, 'Another process uses'],
    [{ type: 'deaf' }, 'no longer listened for'],
    [over('back'), 'The webhook of the account was put back: https://old.example/….'],
    [over('back', NONE), 'The webhook of the account was put back: none.'],
    [over('others'), 'Somebody else has changed the webhook'],
    [over('unknown', UNKNOWN), 'Set it: voxbatch profile set-webhook URL, or give --webhook-restore URL'],
    [over('stays'), 'did not take back the earlier webhook (https://old.example/…), so ours stays'],
    [over('away'), 'Whatever works here next does it (run, up, worker). Or set it: voxbatch profile set-webhook URL'],
  ])('%j', (event, words) => {
    const said = webhookEventWords(event);
    expect(said).toContain(words);
    expect(said).not.toContain('a-secret-path');
  });

  it('say whose webhook it was', () => {
    expect(webhookEventWords({ ...over('back'), isLeftover: true } as WebhookEvent)).toBe(
      'An earlier process has left its webhook in the account. The webhook of the account was put back: https://old.example/….',
    );
  });
});
