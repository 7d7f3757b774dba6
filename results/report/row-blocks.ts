import { hasResult, wasAccepted, type Outcome, type RowState } from '../../contract/outcomes.ts';
import type { ReportBlock, ReportChoice } from '../../contract/report.ts';
import { familyOf } from '../../store/media-types.ts';
import type { ResultFields, ScannedRow } from '../result-line.ts';
import { publicText } from './public-text.ts';

/** Rows that a browser shows without effort. Of a larger batch, a sample of the others is listed. */
const MOST_LISTED = 200_000;
/** Size of that sample. */
const SAMPLE = 50_000;
/** Rows that are compressed together. */
const ROWS_A_BLOCK = 4_000;
/** Characters of all texts together, so that a report of 100,000 rows is smaller than 10 MB. */
const ALL_TEXTS = 16_000_000;
const [SHORTEST_LIMIT, LONGEST_LIMIT] = [120, 5_000];
const LONGEST_MESSAGE = 300;

/**
 * Rows that somebody has to look at: the first {@link MOST_LISTED} of them are listed, whatever the size of the batch.
 */
const ALWAYS: readonly (Outcome | RowState)[] = ['failed', 'unfit', 'unknown', 'overdue'];

/** Which rows of a batch are listed. */
export interface Listing {
  readonly choice: ReportChoice;
  readonly hasTexts: boolean;
  /** Rows of the batch. */
  readonly rows: number;
}

/** Of rows that need not all be listed, each so many-th is. */
export function sampledEach({ rows }: Pick<Listing, 'rows'>): number {
  return rows > MOST_LISTED ? Math.ceil(rows / SAMPLE) : 1;
}

/** Texts are cut after so many characters. */
export function longestText({ rows }: Pick<Listing, 'rows'>): number {
  return Math.min(LONGEST_LIMIT, Math.max(SHORTEST_LIMIT, Math.floor(ALL_TEXTS / Math.min(rows, MOST_LISTED))));
}

/** Puts rows into blocks of columns, as a report has them. */
export class RowBlocks {
  readonly #listing: Listing;
  readonly #each: number;
  readonly #longest: number;
  #block = emptyBlock();
  listed = 0;
  /** Rows that were listed because somebody has to look at them. */
  #bad = 0;

  constructor(listing: Listing) {
    this.#listing = listing;
    this.#each = sampledEach(listing);
    this.#longest = longestText(listing);
  }

  /** Adds a row if it is to be listed. Returns a block once it is full. */
  add(scanned: ScannedRow, fields: ResultFields): ReportBlock | undefined {
    const { row } = scanned;
    const standing = row.outcome ?? row.state;
    if (this.#listing.choice === 'short' && hasResult(row.outcome)) return undefined;
    const isBad = ALWAYS.includes(standing) && this.#bad < MOST_LISTED;
    if (isBad) this.#bad += 1;
    else if (row.row % this.#each !== 0) return undefined;
    this.listed += 1;
    this.#put(scanned, fields, standing);
    return this.#block.row.length < ROWS_A_BLOCK ? undefined : this.rest();
  }

  /** The block that is not full yet. */
  rest(): ReportBlock | undefined {
    const block = this.#block;
    this.#block = emptyBlock();
    return block.row.length === 0 ? undefined : block;
  }

  #put({ row, charges }: ScannedRow, fields: ResultFields, standing: Outcome | RowState): void {
    const { hasTexts } = this.#listing;
    const block = this.#block;
    const last = charges.findLast(({ state, finishedAt }) => wasAccepted(state) && finishedAt !== null);
    const isThere = row.file !== null && row.file.removedAt === undefined && fields._file !== '';
    block.row.push(row.row);
    block.id.push(row.id);
    block.kind.push(row.kind);
    block.standing.push(standing);
    block.take.push(row.take);
    block.takeInUse.push(row.returnedTo ?? row.take);
    block.requests.push(fields._attempts);
    block.voice.push(row.spec.voice ?? null);
    block.text.push(hasTexts ? this.#textOf(row) : '');
    block.seconds.push(fields._seconds);
    block.job.push(last?.finishedAt == null ? null : Math.round((last.finishedAt - last.intentAt) / 100) / 10);
    block.quoted.push(row.quoted);
    block.charged.push(fields._credits);
    block.class.push(fields._error_class);
    block.message.push(hasTexts ? publicText(fields._message).slice(0, LONGEST_MESSAGE) : '');
    // A template may make file names from texts, and a file says what the text says.
    block.file.push(hasTexts && isThere ? fields._file : '');
    block.media.push(hasTexts && isThere ? familyOf(row.file.extension) : null);
    block.ended.push(row.endedAt);
  }

  #textOf({ spec, text }: ScannedRow['row']): string {
    if (spec.text === undefined && text === null) return publicText(spec.audio ?? spec.video ?? '');
    const says = spec.text ?? text ?? '';
    return says.length > this.#longest ? `${says.slice(0, this.#longest)}…` : says;
  }
}

function emptyBlock(): ReportBlock {
  return {
    ...{
      row: [],
      id: [],
      kind: [],
      standing: [],
      take: [],
      takeInUse: [],
      requests: [],
      voice: [],
      text: [],
      seconds: [],
    },
    ...{ job: [], quoted: [], charged: [], class: [], message: [], file: [], media: [], ended: [] },
  };
}
