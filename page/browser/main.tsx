import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { BatchList } from './batch-list.tsx';
import { BatchPage } from './batch-page.tsx';
import { followLinks, go, useAddress } from './location.ts';
import { ScheduleList } from './schedule-list.tsx';
import { sessionHere, useAnswer } from './server.ts';
import { UnknownRows } from './unknown-rows.tsx';

const VIEWS = [
  ['/', 'Batches'],
  ['/unknown', 'Unknown rows'],
  ['/schedules', 'Schedules'],
] as const;

/** The whole page: its head, and the view that the address names. */
function Page() {
  const address = useAddress();
  // The view asks at the same time, so that nobody waits for both.
  const { trouble } = useAnswer('session', sessionHere);
  const name = address.searchParams.get('name') ?? '';
  useEffect(() => {
    document.title = address.pathname === '/batch' ? `${name} – voxbatch` : 'voxbatch';
  }, [address]);
  return (
    <>
      <header class="top">
        <a class="brand" href="/">
          voxbatch
        </a>
        <nav aria-label="Views">
          {VIEWS.map(([path, words]) => (
            <a key={path} href={path} aria-current={address.pathname === path ? 'page' : undefined}>
              {words}
            </a>
          ))}
        </nav>
      </header>
      {trouble === undefined ? <main id="main">{viewOf(address, name)}</main> : <Outside why={trouble} />}
    </>
  );
}

function viewOf(address: URL, name: string) {
  switch (address.pathname) {
    case '/batch':
      return <BatchPage key={name} name={name} address={address} />;
    case '/unknown':
      return <UnknownRows />;
    case '/schedules':
      return <ScheduleList />;
    default:
      return <BatchList />;
  }
}

/** What a browser sees that was not let in. */
function Outside({ why }: { readonly why: string }) {
  return (
    <main id="main">
      <h1>Not open here</h1>
      <p>{why}</p>
    </main>
  );
}

// The ticket was taken with this load; nobody needs it in the history.
const asked = new URL(location.href);
if (asked.searchParams.has('ticket')) {
  asked.searchParams.delete('ticket');
  go(`${asked.pathname}${asked.search}`, true);
}
document.addEventListener('click', followLinks);
const place = document.getElementById('page');
if (place !== null) {
  place.replaceChildren();
  render(<Page />, place);
}
