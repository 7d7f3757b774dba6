import { useEffect, useState } from 'preact/hooks';

/** The event that is dispatched when the URL changes without a page load. */
const NAVIGATED = 'voxbatch-navigated';

/**
 * Returns the current URL, as state. Views keep their filters in the URL, so that they can be bookmarked, opened in
 * another tab, and left with the Back button.
 */
export function useAddress(): URL {
  const [address, setAddress] = useState(() => new URL(location.href));
  useEffect(() => {
    const moved = (): void => {
      setAddress(new URL(location.href));
    };
    addEventListener('popstate', moved);
    addEventListener(NAVIGATED, moved);
    return () => {
      removeEventListener('popstate', moved);
      removeEventListener(NAVIGATED, moved);
    };
  }, []);
  return address;
}

/** Shows another URL of the page without a load. `replaces`: replaces the current history entry. */
export function navigate(to: string, replaces = false): void {
  if (replaces) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event(NAVIGATED));
}

/** Returns the URL path of a batch. */
export function batchPath(name: string): string {
  return `/batch?name=${encodeURIComponent(name)}`;
}

/** Returns the URL with changed query parameters; undefined or an empty value removes one. */
export function withQuery(address: URL, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(address.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return `${address.pathname}?${query.toString()}`;
}

/** Handles a click on a link of the page without a load. Links that open a tab or a download are left alone. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element).closest('a');
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
  event.preventDefault();
  navigate(link.href);
}
