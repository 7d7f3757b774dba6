import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import type { WebhookWish } from '../../../client/webhooks/webhook-options.ts';
import { addFlags, type Flags } from '../../../starters/commands/flags.ts';
import { readWebhook, webhookEnv, webhookWords } from '../../../starters/commands/webhook-flags.ts';

const URL_HERE = 'https://hooks.example.org/batches';

function parse(words: readonly string[], env: NodeJS.ProcessEnv = {}): WebhookWish | undefined {
  const command = addFlags(new Command(), ['webhook', 'webhookPort', 'webhookHost', 'webhookRestore'])
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse(words, { from: 'user' });
  return readWebhook(command.opts<Flags>(), env);
}

describe('the flags of webhooks', () => {
  it('are off unless an address is given', () => {
    expect(parse([], { VOXBATCH_WEBHOOK_RESTORE: URL_HERE })).toBeUndefined();
    expect(webhookWords(undefined)).toEqual([]);
  });

  it('listen on this machine only, unless told otherwise', () => {
    expect(parse(['--webhook', URL_HERE])).toEqual({ url: URL_HERE, host: '127.0.0.1', port: 8765 });
  });

  it.each([
    [['--webhook', URL_HERE]],
    [['--webhook', 'http://10.0.0.7:9000', '--webhook-port', '9000', '--webhook-host', '0.0.0.0']],
    [['--webhook', URL_HERE, '--webhook-restore', 'https://old.example/hook?key=1']],
  ])('mean the same as words of another command line: %j', (words) => {
    const wish = parse(words);
    expect(wish).toBeDefined();
    expect(parse(webhookWords(wish), webhookEnv(wish))).toEqual(wish);
    // The path of an address is a secret, and command lines are seen by all.
    expect(webhookWords(wish).join(' ')).not.toContain('old.example');
  });

  it('put back what the environment says, unless a flag says otherwise', () => {
    const env = { VOXBATCH_WEBHOOK_RESTORE: 'https://old.example/hook' };
    expect(parse(['--webhook', URL_HERE], env)).toMatchObject({ restore: 'https://old.example/hook' });
    expect(parse(['--webhook', URL_HERE, '--webhook-restore', 'https://b.example/'], env)).toMatchObject({
      restore: 'https://b.example/',
    });
    expect(parse(['--webhook', URL_HERE], { VOXBATCH_WEBHOOK_RESTORE: '' })).not.toHaveProperty('restore');
    expect(() => parse(['--webhook', URL_HERE], { VOXBATCH_WEBHOOK_RESTORE: 'a-secret' })).toThrow(
      /^VOXBATCH_WEBHOOK_RESTORE: expected an http or https URL\. Nothing was spent\.$/,
    );
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
  ])('refuse %j', (words, why) => {
    expect(() => parse(words)).toThrow(why);
  });
});
