import type { BatchSettings } from '../../contract/batch.ts';
import { reusesResults } from '../../contract/cache-modes.ts';
import type { PlanAnswer } from '../../client/index.ts';
import { secondCharges } from '../../client/run/price.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { inCredits } from './money.ts';
import { number, rowsInWords } from './words.ts';
import { oneLine, tableLines } from './table.ts';

type RowReasons = Extract<PlanAnswer, { readonly reasons: unknown }>['reasons'];
type ReasonSum = RowReasons['new'];
type ReasonGroup = RowReasons['changed']['groups'][number];

/** Groups of reasons in the table; `--json` has all. */
const MAX_GROUPS = 12;

interface Line extends ReasonSum {
  readonly why: string;
}

/**
 * Returns a table of why rows are paid for, or are not. No lines if all rows are new. `isEstimate`: some prices are
 * estimates.
 */
export function reasonLines(
  reasons: RowReasons,
  cache: BatchSettings['cache'],
  isEstimate: boolean,
): readonly string[] {
  const lines = linesOf(reasons, cache);
  if (lines.every(({ why }) => why === NEW)) return [];
  const credits = ({ quoted, rows, unpriced }: Line): string => {
    if (rows === unpriced) return 'unknown';
    const estimate = isEstimate && quoted > 0 ? '~' : '';
    return `${estimate}${number(quoted)}${unpriced > 0 ? ' + unknown' : ''}`;
  };
  const saved = lines.reduce((sum, line) => sum + line.saved, 0);
  return [
    ...tableLines<Line>(
      [
        { title: 'why', value: ({ why }) => why },
        { title: 'rows', value: ({ rows }) => number(rows), align: 'right' },
        { title: 'credits', value: credits, align: 'right' },
      ],
      lines,
    ),
    ...(saved > 0 ? [`Saved by results that are there already: ${isEstimate ? '~' : ''}${inCredits(saved)}`] : []),
    ...lostLines(reasons, cache),
    ...modeLines(reasons, cache),
  ];
}

/** Returns a line for each batch that may have been charged for the same requests, whose answers were lost. */
export function lostLines(reasons: RowReasons, cache: BatchSettings['cache']): readonly string[] {
  return secondCharges(reasons, cache).map(
    ({ rows, reason: { batch } }) =>
      `${rowsInWords(rows)} may be charged a second time: "${batch}" sent the same, and the answer was lost. To settle that first: voxbatch reconcile ${shellWord(batch)}`,
  );
}

/** Returns what `--cache` does with these rows, if it is not the default mode. */
function modeLines({ changed, again, new: fresh }: RowReasons, cache: BatchSettings['cache']): readonly string[] {
  if (!reusesResults(cache)) return [`All of them are paid for, whatever is there already (--cache ${cache}).`];
  const skipped = changed.rows + again.rows + fresh.rows;
  if (cache === 'on' || skipped === 0) return [];
  return [`${rowsInWords(skipped)} would have to be paid for, and end skipped (--cache only).`];
}

const NEW = 'new: no row of this id was ever sent';

/** Returns the lines of the table: one for each reason that rows have. */
function linesOf(reasons: RowReasons, cache: BatchSettings['cache']): readonly Line[] {
  const { cached, equal, new: fresh, changed, again } = reasons;
  if (!reusesResults(cache)) {
    // Earlier results are not used in this mode, so all these reasons become one.
    const afresh = { why: `paid for afresh: --cache ${cache}`, ...sumOf([cached, equal, changed, again]) };
    return [{ why: NEW, ...fresh }, afresh].filter(({ rows }) => rows > 0);
  }
  const groups = [...changed.groups, ...again.groups].toSorted((one, other) => other.rows - one.rows);
  const rest = groups.slice(MAX_GROUPS);
  return [
    { why: 'cached: the result is there already', ...cached },
    { why: 'asks for the same as an earlier row of this manifest', ...equal },
    { why: NEW, ...fresh },
    ...groups.slice(0, MAX_GROUPS).map((group) => ({ ...group, why: groupWords(group) })),
    ...(rest.length === 0 ? [] : [{ ...sumOf(rest), why: `${number(rest.length)} other reasons (--json lists them)` }]),
  ].filter(({ rows }) => rows > 0);
}

function sumOf(groups: readonly ReasonSum[]): ReasonSum {
  const add = (of: (sum: ReasonSum) => number): number => groups.reduce((all, group) => all + of(group), 0);
  return {
    rows: add(({ rows }) => rows),
    quoted: add(({ quoted }) => quoted),
    unpriced: add(({ unpriced }) => unpriced),
    saved: add(({ saved }) => saved),
  };
}

/** Describes a reason: `voice changed: anna → ben (last in "lines")`. */
function groupWords({ reason, isSame, rows }: ReasonGroup): string {
  const last = `"${reason.batch}"`;
  if (reason.type === 'changed') {
    const changes = reason.changes.map(
      ({ field, from, to }) => `${oneLine(field)} changed: ${value(from)} → ${value(to)}`,
    );
    return `${changes.join('; ')}${isSame || rows === 1 ? '' : ' …'} (last in ${last})`;
  }
  if (reason.ended === 'unknown') return `same as in ${last}, where its answer was lost: it may have been charged`;
  if (reason.ended === null) return `same as in ${last}, which has not ended`;
  if (reason.isUncached === true)
    return `same as in ${last}, which ran with --cache off: no other batch uses its results`;
  return `same as in ${last}, where it ended ${reason.ended}: no result to reuse`;
}

function value(text: string): string {
  return text === '' ? '(empty)' : oneLine(text);
}
