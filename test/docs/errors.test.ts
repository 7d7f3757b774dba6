import { describe, expect, it } from '@jest/globals';
import { FAILURES, type FailureClass } from '../../contract/failures.ts';
import { mayTryAgain } from '../../policy/rows/max-attempts.ts';
import { readTable, withoutMarks } from '../support/markdown-table.ts';
import { readPage } from './pages.ts';

const CLASSES = Object.keys(FAILURES) as FailureClass[];

describe('docs/errors.md', () => {
  const errors = readPage('docs/errors.md');
  const [, ...sections] = errors.split(/^## /m);

  it('has the table of the contract', () => {
    const rows = readTable(errors, ['class', 'from', 'then']);
    expect(rows.map((row) => ({ ...row, class: withoutMarks(row.class) }))).toEqual(
      CLASSES.map((name) => ({ class: name, ...FAILURES[name] })),
    );
  });

  it('tells of each class what is seen, what it cost, and what to do', () => {
    expect(sections.map((text) => text.split('\n')[0])).toEqual(CLASSES);
    for (const text of sections) {
      expect([...text.matchAll(/^\*\*([^*]+):\*\* \S/gm)].map(([, lead]) => lead)).toEqual(['You see', 'Money', 'Do']);
    }
  });

  it.each(['NotSent', 'RateLimited', 'ServiceDown'] as const)('tells after how many refusals %s gives up', (name) => {
    const attempts = Array.from({ length: 1000 }, (_, index) => index + 1);
    const most = attempts.find((refusals) => !mayTryAgain(name, refusals));
    expect(sections[CLASSES.indexOf(name)]).toMatch(new RegExp(String.raw`\b${String(most)}\b`));
  });
});
