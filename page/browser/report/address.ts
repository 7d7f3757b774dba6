import { useEffect, useState } from 'preact/hooks';

/** What the address asks for: the part after `#`, which a file on a disk may change without a load. */
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

/** The address with other values; undefined or an empty text leaves a value out. */
export function linkTo(values: Readonly<Record<string, string | undefined>>): string {
  const query = read();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return `#${query.toString()}`;
}

/** Goes there. Going back does not come here again. */
export function replaceWith(values: Readonly<Record<string, string | undefined>>): void {
  location.replace(linkTo(values));
}
