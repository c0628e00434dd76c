/** The three pictures of the first-run screen. Decoration: the words beside them say the same. */

/** A process with a buffer of four cells. */
export function PictureProducer() {
  return (
    <svg className="pic" viewBox="0 0 220 84" preserveAspectRatio="xMinYMid" aria-hidden="true">
      <rect x="1" y="12" width="84" height="60" rx="7" fill="var(--exporter-bg)" stroke="var(--exporter-line)" />
      <rect x="17" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="30" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="43" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="56" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <path d="M17 25h22" stroke="var(--exporter)" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}

/** The buffer of one process, a handle, and the empty process that gets it. */
export function PictureConsumer() {
  return (
    <svg className="pic" viewBox="0 0 220 84" preserveAspectRatio="xMinYMid" aria-hidden="true">
      <rect x="1" y="12" width="64" height="60" rx="7" fill="var(--exporter-bg)" stroke="var(--exporter-line)" />
      <rect x="8" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="21" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="34" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="47" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <path d="M65 42h88" stroke="var(--line-control)" strokeWidth="1.5" strokeDasharray="2 4" strokeLinecap="round" />
      <circle cx="109" cy="42" r="16" fill="var(--bg-pane)" stroke="var(--line-control)" />
      <g fill="none" stroke="var(--fg-1)" strokeWidth="1.5" strokeLinecap="round">
        <circle cx="103" cy="42" r="4" />
        <path d="M107 42h10M113 42v3.6M116.6 42v2.6" />
      </g>
      <rect x="153" y="12" width="64" height="60" rx="7" fill="var(--importer-bg)" stroke="var(--importer-line)" />
      <path d="M160 25h18" stroke="var(--importer)" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}

/** Two processes whose buffers change together. */
export function PictureWatch() {
  return (
    <svg className="pic" viewBox="0 0 220 84" preserveAspectRatio="xMinYMid" aria-hidden="true">
      <rect x="1" y="12" width="64" height="60" rx="7" fill="var(--exporter-bg)" stroke="var(--exporter-line)" />
      <rect x="8" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="21" y="34" width="11" height="16" rx="1.5" fill="var(--changed-bg)" stroke="var(--changed)" />
      <rect x="34" y="34" width="11" height="16" rx="1.5" fill="var(--changed-bg)" stroke="var(--changed)" />
      <rect x="47" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--exporter-line)" />
      <rect x="153" y="12" width="64" height="60" rx="7" fill="var(--importer-bg)" stroke="var(--importer-line)" />
      <rect x="160" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--importer-line)" />
      <rect x="173" y="34" width="11" height="16" rx="1.5" fill="var(--changed-bg)" stroke="var(--changed)" />
      <rect x="186" y="34" width="11" height="16" rx="1.5" fill="var(--changed-bg)" stroke="var(--changed)" />
      <rect x="199" y="34" width="11" height="16" rx="1.5" fill="var(--bg-raised)" stroke="var(--importer-line)" />
      <path d="M72 38h74M72 46h74" stroke="var(--changed)" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}
