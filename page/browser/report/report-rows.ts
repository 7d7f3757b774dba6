import { REPORT_ELEMENTS, type ReportBlock, type ReportHead } from '../../../contract/report.ts';
import { ROW_STATES, type Outcome, type RowState } from '../../../contract/outcomes.ts';
import { ROW_FILTERS, ROW_ORDERS, type RowFilterName, type RowOrder } from '../../row-query.ts';
import type { ShownRow } from '../row-line.tsx';

/** A row of a report, as {@link ReportRows} gives it. */
export interface ReportRow extends ShownRow {
  readonly kind: string;
  readonly requests: number;
  /** Seconds from its last paid request to the end of the job. */
  readonly job: number | null;
  /** In credits. */
  readonly charged: number;
  /** Relative to the out folder; empty if it has none. */
  readonly file: string;
  readonly media: 'audio' | 'video' | 'text' | 'other' | null;
  /** ms since 1970. */
  readonly ended: number | null;
}

/** Reads everything in the report except its rows. Rejects if the browser cannot decompress it. */
export async function readHead(): Promise<ReportHead> {
  return unpack<ReportHead>(packedIn(REPORT_ELEMENTS.head)[0] ?? '');
}

/** Reads the rows in order, in blocks of some thousands. */
export async function* readBlocks(): AsyncGenerator<ReportBlock> {
  const packed = packedIn(REPORT_ELEMENTS.rows);
  // The next block is decompressed while the caller handles this one.
  let next = packed[0] === undefined ? undefined : unpack<ReportBlock>(packed[0]);
  for (let at = 0; next !== undefined; at += 1) {
    const block = await next;
    const after = packed[at + 1];
    next = after === undefined ? undefined : unpack<ReportBlock>(after);
    yield block;
  }
}

/** Returns the lines of the template element `id`: each is JSON, compressed by gzip, in base64. */
function packedIn(id: string): readonly string[] {
  const element = document.getElementById(id);
  const text = (element as HTMLTemplateElement | null)?.content.textContent ?? '';
  return text.split('\n').filter((line) => line !== '');
}

async function unpack<T>(text: string): Promise<T> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as T;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < characters.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

/**
 * The rows of a report, stored by column as they arrive. Objects are made only of the rows that are shown, so that
 * hundreds of thousands fit in memory. A row's index counts from 0 over all blocks.
 */
export class ReportRows {
  readonly #blocks: ReportBlock[] = [];
  /** For each block, the lower-case texts that the filter `text` searches; made at the first search. */
  readonly #cells: (readonly string[] | undefined)[] = [];
  /** The index of each block's first row. */
  readonly #starts: number[] = [];
  length = 0;

  add(block: ReportBlock): void {
    this.#starts.push(this.length);
    this.#blocks.push(block);
    this.length += block.row.length;
  }

  at(index: number): ReportRow | undefined {
    const blockIndex = this.#starts.findLastIndex((start) => start <= index);
    const block = this.#blocks[blockIndex];
    const start = this.#starts[blockIndex];
    return block === undefined || start === undefined ? undefined : rowOf(block, index - start);
  }

  /** Returns the indexes of the rows that match the query's filters, in its order. */
  find(query: URLSearchParams): number[] {
    const found: number[] = [];
    const conditions = this.#conditions(query);
    this.#blocks.forEach((block, blockIndex) => {
      const start = this.#starts[blockIndex] ?? 0;
      for (let at = 0; at < block.row.length; at += 1) {
        if (conditions.every((holds) => holds(block, at, blockIndex))) found.push(start + at);
      }
    });
    const order = query.get('order') ?? '';
    return Object.hasOwn(ROW_ORDERS, order) ? this.#inOrder(found, ROW_ORDERS[order as RowOrder]) : found;
  }

  /** Returns the index of the row with this id; undefined if it is not listed. */
  indexOf(id: string): number | undefined {
    for (const [blockIndex, block] of this.#blocks.entries()) {
      const at = block.id.indexOf(id);
      if (at >= 0) return (this.#starts[blockIndex] ?? 0) + at;
    }
    return undefined;
  }

  /** Sorts indexes; rows without the value to sort by are left out. */
  #inOrder(found: readonly number[], { by, isLargestFirst }: (typeof ROW_ORDERS)[RowOrder]): number[] {
    const column = ({ price: 'quoted', length: 'seconds', end: 'ended' } as const)[by];
    const sign = isLargestFirst ? -1 : 1;
    return found
      .flatMap((index) => {
        const value = this.at(index)?.[column] ?? null;
        return value === null ? [] : [{ index, value }];
      })
      .sort((one, other) => sign * (one.value - other.value))
      .map(({ index }) => index);
  }

  #conditions(query: URLSearchParams): readonly Condition[] {
    const byFilter = {
      outcome:
        (outcome) =>
        ({ standing }, at) =>
          outcome === 'open' ? isOpen(standing[at]) : standing[at] === outcome,
      class:
        (name) =>
        ({ class: names }, at) =>
          names[at] === name,
      // The report's form has neither.
      cause: null,
      message: null,
      voice:
        (voice) =>
        ({ voice: voices }, at) =>
          voices[at] === voice,
      prefix:
        (prefix) =>
        ({ id }, at) =>
          id[at]?.startsWith(prefix) === true,
      text: (text) => {
        const wanted = text.toLowerCase();
        return (block, at, blockIndex) => this.#cellsOf(block, blockIndex)[at]?.includes(wanted) === true;
      },
    } satisfies Record<RowFilterName, ((value: string) => Condition) | null>;
    return ROW_FILTERS.flatMap(({ name }) => {
      const value = query.get(name) ?? '';
      return value === '' ? [] : (byFilter[name]?.(value) ?? []);
    });
  }

  #cellsOf(block: ReportBlock, blockIndex: number): readonly string[] {
    return (this.#cells[blockIndex] ??= block.id.map((id, at) =>
      [id, block.text[at], block.voice[at], block.class[at], block.message[at], block.file[at]]
        .join('\n')
        .toLowerCase(),
    ));
  }
}

/** Whether the row at `at` of a block matches. */
type Condition = (block: ReportBlock, at: number, blockIndex: number) => boolean;

function isOpen(standing: Outcome | RowState | undefined): standing is RowState {
  return (ROW_STATES as readonly (string | undefined)[]).includes(standing);
}

function rowOf(block: ReportBlock, at: number): ReportRow | undefined {
  const [row, standing] = [block.row[at], block.standing[at]];
  if (row === undefined || standing === undefined) return undefined;
  const failureClass = block.class[at] ?? '';
  return {
    row,
    id: block.id[at] ?? '',
    kind: block.kind[at] ?? '',
    outcome: isOpen(standing) ? null : standing,
    state: isOpen(standing) ? standing : null,
    take: block.take[at] ?? 1,
    takeInUse: block.takeInUse[at] ?? 1,
    requests: block.requests[at] ?? 0,
    voice: block.voice[at] ?? null,
    text: block.text[at] ?? '',
    seconds: block.seconds[at] ?? null,
    job: block.job[at] ?? null,
    quoted: block.quoted[at] ?? null,
    charged: block.charged[at] ?? 0,
    failure: failureClass === '' ? null : { class: failureClass, message: block.message[at] || failureClass },
    // A row without a failure may have a warning in the same column.
    oddity: failureClass === '' ? block.message[at] || null : null,
    file: block.file[at] ?? '',
    media: block.media[at] ?? null,
    ended: block.ended[at] ?? null,
  };
}
