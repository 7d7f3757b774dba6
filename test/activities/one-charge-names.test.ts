import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const HERE = new URL('./', import.meta.url);

/** Names of the interleavings that the document lists. */
function namesInDocument(): string[] {
  const text = readFileSync(new URL('../../docs/decisions/one-charge.md', HERE), 'utf8');
  const [, section = ''] = /\n## Interleavings\n([^]*?)\n## /.exec(text) ?? [];
  return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, name = '']) => name);
}

/** Names of the tests in the files that the document names. */
function namesOfTests(): string[] {
  const files = readdirSync(HERE).filter((file) => /^one-charge-.*\.test\.ts$/.test(file) && !file.includes('-names'));
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, HERE), 'utf8');
    return [...text.matchAll(/^ {2}it\((['"])(.+?)\1,/gm)].map(([, , name = '']) => name);
  });
}

describe('docs/decisions/one-charge.md', () => {
  it('has a test for each interleaving, and no test has another name', () => {
    const names = namesInDocument();
    expect(names.length).toBeGreaterThan(20);
    expect(namesOfTests().sort()).toEqual(names.sort());
  });
});
