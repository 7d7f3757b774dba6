/** @slow */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { freshFolder } from '../support/fresh-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Neither asks a registry, nor builds again what has been built. */
const OFFLINE = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

describe('the ways to install that the guide names', () => {
  it('npm link: the command in every folder', async () => {
    const [prefix, elsewhere] = [freshFolder(), freshFolder()];
    await run('npm', ['link', ...OFFLINE], { cwd: ROOT, env: { ...process.env, npm_config_prefix: prefix } });
    const path = [join(prefix, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    const { stdout } = await run('sh', ['-c', 'voxbatch --version'], { cwd: elsewhere, env: { PATH: path } });
    expect(stdout).toBe('0.1.0\n');
  });

  it('npm install of this folder: the library by its name, and the command for the scripts of the project', async () => {
    const project = join(freshFolder(), 'project');
    await mkdir(project);
    const manifest = { type: 'module', scripts: { batch: 'voxbatch --version' } };
    await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
    await run('npm', ['install', ...OFFLINE, `voxbatch@file:${ROOT}`], { cwd: project });
    const program = "console.log(Object.keys(await import('voxbatch')).join())";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: project });
    expect(stdout).toBe('VoxbatchError,openVoxbatch\n');
    expect((await run('npm', ['run', '--silent', 'batch'], { cwd: project })).stdout).toBe('0.1.0\n');
  });
});
