import './NoticeStack.css';
import { dismissNotice, useNotices } from '../lib/notices';
import { IconButton } from './Button';
import { ErrorText } from './ErrorText';

/** The failures that wait to be read, lowest corner first. Once in each window. */
export function NoticeStack() {
  const notices = useNotices((store) => store.notices);
  if (notices.length === 0) return null;
  return (
    <section className="stack" aria-label="Failures">
      {notices.map((notice) => (
        <div key={notice.key} className="stack-i">
          <ErrorText
            error={notice.error}
            doing={notice.times > 1 ? `${notice.doing} (${notice.times} times)` : notice.doing}
          />
          <IconButton
            icon="cross"
            iconSize={14}
            label={`Dismiss: ${notice.doing}`}
            onClick={() => dismissNotice(notice.key)}
          />
        </div>
      ))}
    </section>
  );
}
