import { REPORT_ELEMENTS, type ReportBlock, type ReportHead } from '../../../contract/report.ts';
import { ROW_STATES, type Outcome, type RowState } from '../../../contract/outcomes.ts';
import { ROW_ORDERS, type RowOrder } from '../../protocol.ts';
import type { ShownRow } from '../row-line.tsx';

/** A row of a report. */
export interface ReportRow extends ShownRow {
  readonly kind: string;
  readonly requests: number;
  /** Seconds from its last paid request to the end of the job. */
  readonly job: number | null;
  readonly charged: number;
  readonly file: string;
  readonly media: 'audio' | 'video' | 'text' | 'other' | null;
  /** ms since 1970. */
  readonly ended: number | null;
}

/** Everything in the report except its rows. */
export async function readHead(): Promise<ReportHead> {
  return unpack<ReportHead>(packedIn(REPORT_ELEMENTS.head)[0] ?? '');
}

/** The rows, some thousands at a time and in order. */
export async function* readBlocks(): AsyncGenerator<ReportBlock> {
  const packed = packedIn(REPORT_ELEMENTS.rows);
  // The next one is unpacked while this one is taken.
  let next = packed[0] === undefined ? undefined : unpack<ReportBlock>(packed[0]);
  for (let at = 0; next !== undefined; at += 1) {
    const block = await next;
    const after = packed[at + 1];
    next = after === undefined ? undefined : unpack<ReportBlock>(after);
    yield block;
  }
}

/** The texts in an element, a line each. */
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

/** The rows of a report as lists of columns: objects are made only of those that are shown. */
export class ReportRows {
  readonly #blocks: ReportBlock[] = [];
  /** Of each block, what is searched for a text. */
  readonly #cells: (readonly string[] | undefined)[] = [];
  #starts: number[] = [];
  length = 0;

  add(block: ReportBlock): void {
    this.#starts.push(this.length);
    this.#blocks.push(block);
    this.length += block.row.length;
  }

  at(index: number): ReportRow | undefined {
    const place = this.#starts.findLastIndex((start) => start <= index);
    const block = this.#blocks[place];
    const start = this.#starts[place];
    return block === undefined || start === undefined ? undefined : rowOf(block, index - start);
  }

  /** The places of the rows that match. */
  find(query: URLSearchParams): number[] {
    const found: number[] = [];
    const matches = this.#conditions(query);
    this.#blocks.forEach((block, place) => {
      const start = this.#starts[place] ?? 0;
      for (let at = 0; at < block.row.length; at += 1) {
        if (matches.every((one) => one(block, at, place))) found.push(start + at);
      }
    });
    const order = query.get('order') ?? '';
    return Object.hasOwn(ROW_ORDERS, order) ? this.#inOrder(found, ROW_ORDERS[order as RowOrder]) : found;
  }

  /** The place of the row with this id. */
  placeOf(id: string): number | undefined {
    for (const [place, block] of this.#blocks.entries()) {
      const at = block.id.indexOf(id);
      if (at >= 0) return (this.#starts[place] ?? 0) + at;
    }
    return undefined;
  }

  /** In this order; rows that have no such value are left out. */
  #inOrder(found: readonly number[], { by, isLargestFirst }: (typeof ROW_ORDERS)[RowOrder]): number[] {
    const member = ({ price: 'quoted', length: 'seconds', end: 'ended' } as const)[by];
    const sign = isLargestFirst ? -1 : 1;
    return found
      .flatMap((index) => {
        const value = this.at(index)?.[member] ?? null;
        return value === null ? [] : [{ index, value }];
      })
      .sort((one, other) => sign * (one.value - other.value))
      .map(({ index }) => index);
  }

  #conditions(query: URLSearchParams): readonly Condition[] {
    const conditions: Condition[] = [];
    const given = (name: string, make: (value: string) => Condition): void => {
      const value = query.get(name) ?? '';
      if (value !== '') conditions.push(make(value));
    };
    given(
      'outcome',
      (outcome) =>
        ({ standing }, at) =>
          outcome === 'open' ? isOpen(standing[at]) : standing[at] === outcome,
    );
    given(
      'class',
      (name) =>
        ({ class: names }, at) =>
          names[at] === name,
    );
    given(
      'voice',
      (voice) =>
        ({ voice: voices }, at) =>
          voices[at] === voice,
    );
    given(
      'prefix',
      (prefix) =>
        ({ id }, at) =>
          id[at]?.startsWith(prefix) === true,
    );
    given('text', (text) => {
      const wanted = text.toLowerCase();
      return (block, at, place) => this.#cellsOf(block, place)[at]?.includes(wanted) === true;
    });
    return conditions;
  }

  #cellsOf(block: ReportBlock, place: number): readonly string[] {
    return (this.#cells[place] ??= block.id.map((id, at) =>
      [id, block.text[at], block.voice[at], block.class[at], block.message[at], block.file[at]]
        .join('\n')
        .toLowerCase(),
    ));
  }
}

type Condition = (block: ReportBlock, at: number, place: number) => boolean;

function isOpen(standing: Outcome | RowState | undefined): standing is RowState {
  return (ROW_STATES as readonly (string | undefined)[]).includes(standing);
}

function rowOf(block: ReportBlock, at: number): ReportRow | undefined {
  const [row, standing] = [block.row[at], block.standing[at]];
  if (row === undefined || standing === undefined) return undefined;
  const name = block.class[at] ?? '';
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
    failure: name === '' ? null : { class: name, message: block.message[at] || name },
    oddity: name === '' ? block.message[at] || null : null,
    file: block.file[at] ?? '',
    media: block.media[at] ?? null,
    ended: block.ended[at] ?? null,
  };
}
