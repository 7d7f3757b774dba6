import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from './pages.ts';

/** A test whose title begins with what it shows: an endpoint (`GET /voices: …`) or a command (`voxbatch say: …`). */
export interface NamedTest {
  /** `GET /voices`, `voxbatch voices list`. */
  readonly shows: string;
  /** The rest of the title. */
  readonly title: string;
  /** From the root of the repository. */
  readonly file: string;
}

/** The first argument of `it(…)` or `it.each(…)(…)`: a literal, so that it can be read without running the test. */
const TITLE = /(?:\bit|\))\(\s*(['"`])((?:GET|POST|PUT|PATCH|DELETE) \/|voxbatch )(.*?)\1,/g;

/** All tests that name what they show, in the order of their files. */
export function readNamedTests(): readonly NamedTest[] {
  const files = readdirSync(pathOf('test'), { recursive: true, encoding: 'utf8' });
  return (
    files
      // Those of this folder are about titles.
      .filter((file) => file.endsWith('.test.ts') && !file.startsWith('docs/'))
      .toSorted()
      .flatMap((file) => namedTestsIn(readFileSync(pathOf(join('test', file)), 'utf8'), `test/${file}`))
  );
}

/** The tests of a file that name what they show. */
export function namedTestsIn(source: string, file: string): readonly NamedTest[] {
  return [...source.matchAll(TITLE)].flatMap(([, , begin = '', rest = '']) => {
    const [, shows, title] = /^([^:]+): (.+)$/.exec(begin + rest) ?? [];
    return shows === undefined || title === undefined ? [] : [{ shows, title, file }];
  });
}
