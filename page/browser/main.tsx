import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { BatchList } from './batch-list.tsx';
import { BatchPage } from './batch-page.tsx';
import { followLinks, navigate, useAddress } from './location.ts';
import { ScheduleList } from './schedule-list.tsx';
import { fetchSession, useAnswer } from './api-client.ts';
import { UnknownRows } from './unknown-rows.tsx';

const VIEWS = [
  ['/', 'Batches'],
  ['/unknown', 'Unknown rows'],
  ['/schedules', 'Schedules'],
] as const;

/** The whole page: its header, and the view of the current path. */
function Page() {
  const address = useAddress();
  // Fetched while the view fetches its own data, so that neither waits for the other.
  const { trouble } = useAnswer('session', fetchSession);
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
      {trouble === undefined ? <main id="main">{viewOf(address, name)}</main> : <NoSession reason={trouble} />}
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

/** Shown to a browser without a session. */
function NoSession({ reason }: { readonly reason: string }) {
  return (
    <main id="main">
      <h1>Not open here</h1>
      <p>{reason}</p>
    </main>
  );
}

// The load of this script's page redeemed the ticket, so it is removed from the URL and the history.
const opened = new URL(location.href);
if (opened.searchParams.has('ticket')) {
  opened.searchParams.delete('ticket');
  navigate(`${opened.pathname}${opened.search}`, true);
}
document.addEventListener('click', followLinks);
const place = document.getElementById('page');
if (place !== null) {
  place.replaceChildren();
  render(<Page />, place);
}
