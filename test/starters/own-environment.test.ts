import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { compiledOf } from '../compiled.mjs';

it("a command's secrets are in no environment that its hooks can read, also not as that of the process above them", () => {
  const script = `import { hideSecrets, ownEnvironment } from '${compiledOf('starters/own-environment.ts')}';
    import { readFileSync } from 'node:fs';
    hideSecrets();
    const initial = process.platform === 'linux' ? readFileSync('/proc/self/environ', 'utf8') : '';
    console.log(JSON.stringify({ env: process.env, initial, own: ownEnvironment() }));`;
  const given = {
    VOXBATCH_API_TOKEN: 'hush',
    VOXBATCH_PAYLOAD_KEYS: 'k1:hush',
    VOXBATCH_LEDGER: 'postgres://ann:hush@db.example/vox?schema=x',
    VOXBATCH_STORE: 's3://bucket/prefix',
  };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: given,
    encoding: 'utf8',
  });
  const { env, initial, own } = JSON.parse(printed) as Readonly<Record<'env' | 'own', object>> & { initial: string };
  expect(own).toMatchObject(given);
  expect(env).toEqual({
    VOXBATCH_LEDGER: 'postgres://ann@db.example/vox?schema=x',
    VOXBATCH_STORE: 's3://bucket/prefix',
  });
  expect(initial).not.toContain('hush');
});
