import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { RowFilterName, RowOrder, VoiceLine } from '../protocol.ts';
import { number } from './format.ts';

/** A text is looked for once nobody has typed for this long, ms. */
const TYPING_MS = 350;

/** Values of an address that ask for no reason. */
export const NO_REASON = { class: '', cause: '', message: '' } satisfies Partial<Record<RowFilterName, ''>>;

/** The address with other values in its query; an empty text leaves a value out. */
export type LinkTo = (values: Readonly<Record<string, string | undefined>>) => string;

/** What the form sets in the address. */
type Word = RowFilterName | 'order';

/** Which rows are wanted; the address says it. `set`: goes to the address with other values. */
export function Filters({
  query,
  voices = [],
  linkTo,
  set: go,
}: {
  readonly query: URLSearchParams;
  /** The voices to choose from. Default: their ids are typed. */
  readonly voices?: readonly VoiceLine[] | undefined;
  readonly linkTo: LinkTo;
  readonly set: (values: Readonly<Record<string, string>>) => void;
}): VNode {
  const at = (name: Word): string => query.get(name) ?? '';
  const set = (name: Word) => (value: string) => {
    go({ [name]: value, ...(name === 'outcome' && NO_REASON) });
  };
  const reason = [at('class'), at('cause')].filter((word) => word !== '').join(' ');
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <Typed label="Any cell contains" value={at('text')} set={set('text')} />
      <Typed label="Id begins with" value={at('prefix')} set={set('prefix')} />
      {voices.length === 0 ? (
        <Typed label="Voice" value={at('voice')} set={set('voice')} />
      ) : (
        <Choice label="Voice" value={at('voice')} set={set('voice')} options={voiceOptions(voices, at('voice'))} />
      )}
      <Choice
        label="Outcome"
        value={at('outcome')}
        set={set('outcome')}
        options={[['', 'all'], ...['open', ...OUTCOMES].map((word) => [word, word] as const)]}
      />
      <Choice
        label="Order"
        value={at('order')}
        set={set('order')}
        options={[['', 'as in the manifest'], ...Object.entries(ORDERS)]}
      />
      {reason !== '' && <Chip words={reason} href={linkTo(NO_REASON)} />}
      {at('message') !== '' && <Chip words="this message" href={linkTo({ message: '' })} />}
    </form>
  );
}

function voiceOptions(voices: readonly VoiceLine[], chosen: string): readonly (readonly [string, string])[] {
  const known = voices.map(
    ({ voice, name, rows }) => [voice, `${name === null ? voice : `${name} – ${voice}`} (${number(rows)})`] as const,
  );
  const other = chosen === '' || voices.some(({ voice }) => voice === chosen) ? [] : [[chosen, chosen] as const];
  return [['', 'all'], ...known, ...other];
}

/** The orders, in words. */
const ORDERS: Readonly<Record<RowOrder, string>> = {
  newest: 'ended last',
  priciest: 'highest quote',
  cheapest: 'lowest quote',
  longest: 'longest',
  shortest: 'shortest',
};

/** A filter that is no field of the form, as a link that removes it. */
function Chip({ words, href }: { readonly words: string; readonly href: string }) {
  return (
    <a class="chip" href={href} title="Remove this filter">
      {words} <span aria-hidden="true">×</span>
    </a>
  );
}

interface Field {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

function Typed({ label, value, set }: Field) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => {
      set(typed);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);
  return (
    <label>
      {label}
      <input
        type="search"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
        }}
      />
    </label>
  );
}

function Choice({ label, value, set, options }: Field & { readonly options: readonly (readonly [string, string])[] }) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={(event) => {
          set(event.currentTarget.value);
        }}
      >
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
