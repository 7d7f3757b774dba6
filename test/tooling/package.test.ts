/** @slow */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Paths of the files that `npm pack` would pack. */
function packed(): readonly string[] {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const said = execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [tarball] = JSON.parse(said) as [{ readonly files: readonly { readonly path: string }[] }];
  return tarball.files.map(({ path }) => path);
}

/** Relative links of a page, as paths from the root. */
function linksOf(page: string): readonly string[] {
  const targets = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];
  return targets.map(([, target = '']) => normalize(join(dirname(page), target)));
}

describe('the package', () => {
  const files = packed();

  it('has the pages that its pages link to', () => {
    const pages = files.filter((file) => file.endsWith('.md'));
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/guide/library.md']));
    const isPacked = (path: string): boolean => files.some((file) => file === path || file.startsWith(`${path}/`));
    expect(pages.flatMap((page) => linksOf(page).filter((target) => !isPacked(target)))).toEqual([]);
  });

  it('has the schemas of what users write and read', () => {
    const schemas = files.filter((file) => file.startsWith('schemas/'));
    expect(schemas.filter((file) => !file.startsWith('schemas/views/'))).toEqual(
      ['config', 'manifest', 'receipt', 'result', 'summary'].map((name) => `schemas/${name}.schema.json`),
    );
    expect(schemas).toContain('schemas/views/status.schema.json');
  });

  it('has no source map, no source and no test', () => {
    const isForUse = (file: string): boolean => !/[.](map|test[.]ts)$|(?<![.]d)[.]ts$/.test(file);
    expect(files.filter((file) => !isForUse(file))).toEqual([]);
  });
});
