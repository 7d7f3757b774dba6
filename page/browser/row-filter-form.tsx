import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { OUTCOMES } from '../../contract/outcomes.ts';
import type { VoiceLine } from '../protocol.ts';
import type { RowFilterName, RowOrder } from '../row-query.ts';
import { number } from './format.ts';

/** A typed filter is applied after a pause of this length, ms. */
const DEBOUNCE_MS = 350;

/** Query values that remove the filters by reason. */
export const NO_REASON = { class: '', cause: '', message: '' } satisfies Partial<Record<RowFilterName, ''>>;

/** Returns the view's URL with changed query parameters; an empty value removes one. */
export type LinkTo = (values: Readonly<Record<string, string | undefined>>) => string;

/** A query parameter that the form sets. */
type Parameter = RowFilterName | 'order';

/** The filters and the order of a list of rows, as a form. Their values are in the URL's query. */
export function Filters({
  query,
  voices = [],
  linkTo,
  set: setQuery,
}: {
  readonly query: URLSearchParams;
  /** The voices to choose from. Default: a text field for a voice's id. */
  readonly voices?: readonly VoiceLine[] | undefined;
  readonly linkTo: LinkTo;
  /** Shows the view with changed query parameters. */
  readonly set: (values: Readonly<Record<string, string>>) => void;
}): VNode {
  const at = (name: Parameter): string => query.get(name) ?? '';
  const set = (name: Parameter) => (value: string) => {
    setQuery({ [name]: value, ...(name === 'outcome' && NO_REASON) });
  };
  const reason = [at('class'), at('cause')].filter((value) => value !== '').join(' ');
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <TextField label="Any cell contains" value={at('text')} set={set('text')} />
      <TextField label="Id begins with" value={at('prefix')} set={set('prefix')} />
      {voices.length === 0 ? (
        <TextField label="Voice" value={at('voice')} set={set('voice')} />
      ) : (
        <SelectField label="Voice" value={at('voice')} set={set('voice')} options={voiceOptions(voices, at('voice'))} />
      )}
      <SelectField
        label="Outcome"
        value={at('outcome')}
        set={set('outcome')}
        options={[['', 'all'], ...['open', ...OUTCOMES].map((outcome) => [outcome, outcome] as const)]}
      />
      <SelectField
        label="Order"
        value={at('order')}
        set={set('order')}
        options={[['', 'as in the manifest'], ...Object.entries(ORDER_LABELS)]}
      />
      {reason !== '' && <Chip label={reason} href={linkTo(NO_REASON)} />}
      {at('message') !== '' && <Chip label="this message" href={linkTo({ message: '' })} />}
    </form>
  );
}

/** Returns the voices as options, and the chosen one even if it is none of them. */
function voiceOptions(voices: readonly VoiceLine[], chosen: string): readonly (readonly [string, string])[] {
  const known = voices.map(
    ({ voice, name, rows }) => [voice, `${name === null ? voice : `${name} – ${voice}`} (${number(rows)})`] as const,
  );
  const other = chosen === '' || voices.some(({ voice }) => voice === chosen) ? [] : [[chosen, chosen] as const];
  return [['', 'all'], ...known, ...other];
}

const ORDER_LABELS: Readonly<Record<RowOrder, string>> = {
  newest: 'ended last',
  priciest: 'highest quote',
  cheapest: 'lowest quote',
  longest: 'longest',
  shortest: 'shortest',
};

/** A link that removes a filter which has no field in the form. */
function Chip({ label, href }: { readonly label: string; readonly href: string }) {
  return (
    <a class="chip" href={href} title="Remove this filter">
      {label} <span aria-hidden="true">×</span>
    </a>
  );
}

interface Field {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

function TextField({ label, value, set }: Field) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => {
      set(typed);
    }, DEBOUNCE_MS);
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

function SelectField({
  label,
  value,
  set,
  options,
}: Field & { readonly options: readonly (readonly [string, string])[] }) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={(event) => {
          set(event.currentTarget.value);
        }}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
