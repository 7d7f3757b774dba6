import { withoutPath } from '../../contract/shown-value.ts';
import type { WebhookEvent } from '../../client/webhooks/webhook-options.ts';

type Before = Extract<WebhookEvent, { readonly type: 'over' }>['before'];

/**
 * Describes what happens to the account's webhook while a worker uses it. URLs are shown without their secret paths.
 */
export function webhookEventWords(event: WebhookEvent): string {
  switch (event.type) {
    case 'set': {
      const isShown = event.result === 'set' ? '' : ' The profile does not show whether it was taken.';
      return `Webhooks come to ${event.to}, which has to lead to port ${String(event.port)} here.${isShown} Before: ${beforeWords(event.before)}.`;
    }
    case 'not-taken':
      return `The webhook was not set: ${event.why.replace(/\.$/, '')}. Jobs are polled instead.${event.isFinal ? '' : ' It is tried again every minute.'}`;
    case 'in-use':
      return "Another process uses the account's webhook. Jobs are polled here until that one ends.";
    case 'foreign':
      return (
        `Another voxbatch, with records of its own, has set the account's webhook (${event.to}). Jobs are polled here until it has put ` +
        'back what was there. If it is gone for good, set it: voxbatch profile set-webhook URL, or give --webhook-restore URL.'
      );
    case 'deaf':
      return 'Webhooks are no longer listened for: the listener has died. Jobs are polled instead.';
    case 'over':
      return `${event.isLeftover ? 'An earlier process has left its webhook in the account. ' : ''}${overWords(event)}`;
  }
}

/** Describes what became of the webhook when the worker ended. */
function overWords({ end, before }: Extract<WebhookEvent, { readonly type: 'over' }>): string {
  switch (end) {
    case 'back':
      return `The webhook of the account was put back: ${beforeWords(before)}.`;
    case 'others':
      return 'Somebody else has changed the webhook of the account meanwhile, so it stays as it is.';
    case 'unknown':
      return (
        'The profile did not show which webhook the account had before, so ours stays, and leads nowhere. ' +
        'Set it: voxbatch profile set-webhook URL, or give --webhook-restore URL the next time.'
      );
    case 'stays':
      return (
        `The API did not take back the earlier webhook (${beforeWords(before)}), so ours stays, and leads nowhere. ` +
        'Set another one: voxbatch profile set-webhook URL'
      );
    case 'away':
      return (
        'The webhook of the account could not be put back yet: no usable answer from the API. Whatever works here next does it ' +
        '(run, up, worker). Or set it: voxbatch profile set-webhook URL'
      );
  }
}

function beforeWords(before: Before): string {
  if (before.type === 'unknown') return 'unknown';
  return before.url === null ? 'none' : withoutPath(before.url);
}
