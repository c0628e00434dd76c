/** Starts a window's page: settings first (no flash of the other theme), then the ledger, keys and the React tree. */
import '../ui/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LiveRegion } from '../ui/LiveRegion';
import { NoticeStack } from '../ui/NoticeStack';
import { TooltipProvider } from '../ui/Tooltip';
import { connectHotkeys } from './commands';
import { connectLedger } from './ledger-store';
import { connectSettings } from './settings-store';

/** Renders `page` into #root with everything that each window has: tooltips, live region, failures. */
export async function mount(page: ReactNode): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no #root');
  connectLedger();
  connectHotkeys();
  await connectSettings();
  createRoot(root).render(
    <StrictMode>
      {/* The page's policy allows no inline style elements; Base UI then leaves out the few that it would add. */}
      <CSPProvider disableStyleElements>
        <TooltipProvider>
          {page}
          <NoticeStack />
          <LiveRegion />
        </TooltipProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
