import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeUpdatePair } from '@temporalio/common';
import { patched, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { ReportedFigures } from '../contract/activities.ts';
import { SEARCH_ATTRIBUTES, type SearchFigures, type SearchAttributeName } from '../contract/search-attributes.ts';
import { shellWord } from '../contract/shell-word.ts';
import { isWorthShowing } from '../policy/visibility/when-to-show.ts';

/**
 * Shows the figures of a batch in Temporal: by search attributes in its lists, by details on the workflow's own page.
 */
export class ShownFigures {
  readonly #batch: string;
  #shown: SearchFigures | undefined;
  #shownAt = 0;
  #searchable: readonly SearchAttributeName[] = [];

  constructor(batch: string) {
    this.#batch = batch;
  }

  /** Shows figures. Search attributes are updated only if the figures differ enough to be worth an event. */
  show({ figures, searchable = [] }: ReportedFigures): void {
    if (figures === undefined) return;
    setCurrentDetails(detailsOf(this.#batch, figures));
    const known = searchable.filter((name) => Object.hasOwn(SEARCH_ATTRIBUTES, name));
    if (known.length === 0 || !isWorthShowing(this.#shown, figures, Date.now() - this.#shownAt)) return;
    // A worker of an earlier version ignored these figures, so a replay of its history must, too.
    if (!patched('batch-figures')) return;
    this.#shown = figures;
    this.#shownAt = Date.now();
    this.#searchable = known;
    upsertSearchAttributes(this.#pairs(figures));
  }

  /**
   * Removes the search attributes from this run, which is about to continue as new: lists would otherwise show the
   * batch twice. Returns them for the next run.
   */
  removeAttributes(): SearchAttributePair[] | undefined {
    if (this.#shown === undefined) return undefined;
    upsertSearchAttributes(
      this.#searchable.map((name) => ({ key: keyOf(name), value: null }) as SearchAttributeUpdatePair),
    );
    return this.#pairs(this.#shown);
  }

  #pairs({ state, done, failed, unknown, credits }: SearchFigures): SearchAttributePair[] {
    const values = {
      VoxbatchBatch: this.#batch,
      VoxbatchState: state,
      VoxbatchDone: done,
      VoxbatchFailed: failed,
      VoxbatchUnknown: unknown,
      VoxbatchCredits: credits,
    } satisfies Record<SearchAttributeName, string | number>;
    return this.#searchable.map((name) => ({ key: keyOf(name), value: values[name] }) as SearchAttributePair);
  }
}

function keyOf(name: SearchAttributeName) {
  return defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
}

/** Returns Markdown for the workflow's page in Temporal's UI. Setting it costs no event. */
function detailsOf(batch: string, { state, rows, done, failed, unknown, credits }: SearchFigures): string {
  const name = shellWord(batch);
  return [
    `**${state}**: ${String(done)} of ${String(rows)} rows ended, ${String(failed)} failed, ${String(unknown)} unknown, ${String(credits)} credits charged.`,
    `Rows are in the ledger: \`voxbatch status ${name}\`, \`voxbatch explain ROW ${name}\`.`,
  ].join('\n\n');
}
