import { useEffect, useState } from 'preact/hooks';

/**
 * Returns the report's state: the query in the part of its URL after `#`. A page opened from a file can change only
 * that part without a load.
 */
export function useQuery(): URLSearchParams {
  const [query, setQuery] = useState(read);
  useEffect(() => {
    const moved = (): void => {
      setQuery(read());
    };
    addEventListener('hashchange', moved);
    return () => {
      removeEventListener('hashchange', moved);
    };
  }, []);
  return query;
}

function read(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** Returns a link with changed query values; undefined or an empty value removes one. */
export function linkTo(values: Readonly<Record<string, string | undefined>>): string {
  const query = read();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return `#${query.toString()}`;
}

/** Changes query values without a new history entry. */
export function replaceWith(values: Readonly<Record<string, string | undefined>>): void {
  location.replace(linkTo(values));
}
