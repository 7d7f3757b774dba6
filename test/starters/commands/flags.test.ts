import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import type { WebhookSettings } from '../../../client/webhooks/webhook-options.ts';
import type { Tuning } from '../../../contract/tunables.ts';
import { addFlags, type Flags } from '../../../starters/commands/flags.ts';
import { readTuning, TUNING } from '../../../starters/commands/tuning-flags.ts';
import { readWebhook, webhookEnv, webhookWords } from '../../../starters/commands/read-webhook-flags.ts';
import { describeTuning } from '../../../starters/terminal/tunable-words.ts';

/** What is read of a command line with these flags. */
function read(flags: readonly string[], words: readonly string[]): Flags {
  const command = addFlags(new Command().argument('[manifest]'), flags).exitOverride();
  return command
    .configureOutput({ writeErr: () => undefined })
    .parse(words, { from: 'user' })
    .opts<Flags>();
}

const tuning = (...words: string[]): Tuning => readTuning(read(Object.keys(TUNING), words));
/** The same of words with a space between them. */
const tuned = (line: string): Tuning => tuning(...line.split(/ (?=.)/));

describe('the tuning flags', () => {
  it.each<[string, Tuning, string]>([
    ['--budget 1500.5', { budget: 1500.5 }, 'budget 1,500.5 credits'],
    ['--budget none', { budget: null }, 'no budget'],
    ['--rate none', { limits: { rate: null } }, 'rate as the API allows'],
    ['--rate 2.5 --poll-rate none', { limits: { rate: 2.5, pollRate: null } }, 'rate 2.5, poll rate as the API allows'],
    ['--window 50 --poll-rate 0.5', { limits: { window: 50, pollRate: 0.5 } }, 'window 50, poll rate 0.5'],
    // Up to their bounds.
    ['--submits 256 --window 10000', { limits: { submits: 256, window: 10_000 } }, 'submits 256, window 10000'],
    ['--halt soon,fail=5%', { halt: { when: 'soon', fail: 5, unit: 'percent' } }, 'halt soon,fail=5%'],
    ['--on-unknown resubmit --retakes 0', { onUnknown: 'resubmit', retakes: 0 }, 'on unknown resubmit, retakes 0'],
    ['--cache on', { cache: 'on' }, 'cache on'],
  ])('%s: gives what was given and nothing else, and is told so', (line, given, words) => {
    expect(tuned(line)).toEqual(given);
    expect(describeTuning(given)).toBe(words);
  });

  it('give nothing where nothing is given', () => expect([tuning(), describeTuning({})]).toEqual([{}, '']));

  it.each<[string, string | RegExp]>([
    ['--budget=0', /expected a number above 0/],
    ['--budget=all', /expected a number above 0/],
    ['--halt=later', /expected never, soon,fail=20, soon,fail=5% or now,fail=1/],
    ['--halt=soon,fail=200%', /expected never/],
    ['--on-unknown=retry', /Allowed choices are hold, resubmit, fail/],
    ['--retakes=11', /expected a whole number from 0 to 10/],
    ['--retakes=-1', /expected a whole number from 0 to 10/],
    ['--retakes=1.5', /expected a whole number from 0 to 10/],
    ['--submits=2.5', /expected a whole number from 1 to 256/],
    ['--submits=257', /expected a whole number from 1 to 256/],
    ['--window=10001', /expected a whole number from 1 to 10000/],
    ['--rate= ', /expected a number above 0/],
  ])('refuse %s', (line, why) => expect(() => tuned(line)).toThrow(why));
});

describe('--verify', () => {
  const verify = (...words: string[]): unknown => read(['verify'], words).verify;

  it.each(['true', 'false', '0.1'])('takes %s as a cell of its column', (value) => {
    expect(verify('lines.csv', '--verify', value)).toBe(value);
  });

  it.each(['lines.csv', '0.9', 'Good morning.'])('says where another word goes if it gets %s', (value) => {
    const words = /0\.02 to 0\.6\. Any other word goes before --verify, or after --verify=true\./;
    expect(() => verify('--verify', value)).toThrow(words);
  });
});

describe('the flags of webhooks', () => {
  const URL_HERE = 'https://hooks.example.org/batches';
  const OLD = 'https://old.example/hook';
  const webhook = (words: readonly string[], restore?: string): WebhookSettings | undefined =>
    readWebhook(read(['webhook', 'webhookPort', 'webhookHost', 'webhookRestore'], words), {
      ...(restore === undefined ? {} : { VOXBATCH_WEBHOOK_RESTORE: restore }),
    });

  it('are off unless an address is given, and listen on this machine only, unless told otherwise', () => {
    expect([webhook([], URL_HERE), webhookWords(undefined)]).toEqual([undefined, []]);
    expect(webhook(['--webhook', URL_HERE])).toEqual({ url: URL_HERE, host: '127.0.0.1', port: 8765 });
  });

  it.each([
    [['--webhook', URL_HERE]],
    [['--webhook', 'http://10.0.0.7:9000', '--webhook-port', '9000', '--webhook-host', '0.0.0.0']],
    [['--webhook', URL_HERE, '--webhook-restore', 'https://old.example/hook?key=1']],
  ])('mean the same as words of another command line: %j', (words) => {
    const wish = webhook(words);
    expect(wish).toBeDefined();
    expect(webhook(webhookWords(wish), webhookEnv(wish)['VOXBATCH_WEBHOOK_RESTORE'])).toEqual(wish);
    // The path of an address is a secret, and command lines are seen by all.
    expect(webhookWords(wish).join(' ')).not.toContain('old.example');
  });

  it('put back what the environment says, unless a flag says otherwise', () => {
    const words = ['--webhook', URL_HERE];
    expect(webhook(words, OLD)).toMatchObject({ restore: OLD });
    const restore = 'https://b.example/';
    expect(webhook([...words, '--webhook-restore', restore], OLD)).toMatchObject({ restore });
    expect(webhook(words, '')).not.toHaveProperty('restore');
    const refusal = /^VOXBATCH_WEBHOOK_RESTORE: expected an http or https URL\. Nothing was spent\.$/;
    expect(() => webhook(words, 'a-secret')).toThrow(refusal);
  });

  it.each([
    [['--webhook-port', '9000'], 'need --webhook'],
    [['--webhook-host', '0.0.0.0'], 'need --webhook'],
    [['--webhook-restore', URL_HERE], 'need --webhook'],
    [['--webhook', 'hooks.example.org'], '--webhook: expected a public http or https URL'],
    [['--webhook', 'ftp://hooks.example.org'], '--webhook: expected a public http or https URL'],
    [['--webhook', 'https://me:pw@hooks.example.org'], '--webhook: expected a public http or https URL'],
    [['--webhook', `${URL_HERE}?key=1`], 'without query'],
    [['--webhook', `${URL_HERE}#there`], 'without query'],
    [['--webhook', URL_HERE, '--webhook-port', '65536'], 'a port from 1 to 65535'],
    [['--webhook', URL_HERE, '--webhook-port', '0'], "option '--webhook-port"],
    [['--webhook', URL_HERE, '--webhook-restore', 'old'], '--webhook-restore: expected'],
  ])('refuse %j', (words, why) => expect(() => webhook(words)).toThrow(why));
});
