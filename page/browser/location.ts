import { useEffect, useState } from 'preact/hooks';

/** Told to the views when the address changes without a load. */
const MOVED = 'voxbatch-moved';

/**
 * The address as state: a view is its path and query, so that it can be kept, shared between tabs and gone back from.
 */
export function useAddress(): URL {
  const [address, setAddress] = useState(() => new URL(location.href));
  useEffect(() => {
    const moved = (): void => {
      setAddress(new URL(location.href));
    };
    addEventListener('popstate', moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener('popstate', moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  return address;
}

/** Goes to another address of the page. `replaces`: takes the place of the present one in the history. */
export function go(to: string, replaces = false): void {
  if (replaces) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event(MOVED));
}

/** The address of a batch. */
export function batchPath(name: string): string {
  return `/batch?name=${encodeURIComponent(name)}`;
}

/** The same address with other values in its query; undefined or an empty text leaves a value out. */
export function withQuery(address: URL, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(address.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return `${address.pathname}?${query.toString()}`;
}

/** Follows links of the page without a load; what opens a new tab stays as it is. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element).closest('a');
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
  event.preventDefault();
  go(link.href);
}
