import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The path of a program that tests need: what the setting `variable` says (`named`), else `name` on the PATH, else `built` in
 * `folder` (default: where Go installs), where Go builds it from `module` if it is missing. Throws if that fails, and says
 * what to do (`advice`). `what`: the program in words. `flags`: how Go builds it.
 */
export function findGoProgram({
  variable,
  named = process.env[variable],
  name,
  built = name,
  module,
  folder,
  flags = [],
  what,
  advice,
}) {
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`${variable} names ${named}, and no program is there.`);
  }
  const go = spawnSync('go', ['env', 'GOBIN', 'GOPATH'], { encoding: 'utf8' });
  const hasGo = go.status === 0;
  const [bin = '', path = ''] = hasGo ? go.stdout.trimEnd().split('\n') : [];
  const target = folder ?? (bin === '' ? join(path === '' ? join(homedir(), 'go') : path, 'bin') : bin);
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((place) => place !== '');
  const places = [...onPath.map((place) => join(place, name)), join(target, built)];
  const find = () => places.find((place) => existsSync(place));
  if (find() === undefined && hasGo) {
    console.error(`Building ${what} for tests, which takes minutes once: go install ${module}`);
    mkdirSync(target, { recursive: true });
    try {
      execFileSync('go', ['install', ...flags, module], {
        stdio: ['ignore', 2, 2],
        env: { ...process.env, GOBIN: target },
      });
    } catch {
      // Said below.
    }
  }
  const found = find();
  if (found !== undefined) return found;
  throw new Error(
    `There is no ${name} here, and ${hasGo ? 'Go could not build one' : 'no Go to build one'}. ${advice}`,
  );
}
