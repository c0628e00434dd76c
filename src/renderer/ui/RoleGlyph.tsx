import { Icon, type IconName } from './Icon';
import type { Tone } from './tone';

export type PeerRole = 'inspector' | 'producer' | 'consumer' | 'outside';

const glyphs: Record<PeerRole, { icon: IconName; tone: Tone }> = {
  inspector: { icon: 'inspector', tone: 'soft' },
  producer: { icon: 'exporter', tone: 'exporter' },
  consumer: { icon: 'importer', tone: 'importer' },
  outside: { icon: 'outside', tone: 'exporter' },
};

/** The sign of a process: a square with the arrow out exports, with the arrow in imports. */
export function RoleGlyph({ role, size = 14 }: { role: PeerRole; size?: 14 | 16 }) {
  const { icon, tone } = glyphs[role];
  return <Icon name={icon} size={size} tone={tone} className="role" />;
}
