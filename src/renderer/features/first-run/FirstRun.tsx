import './first-run.css';
import { openDemo, playDemo } from '../../lib/actions';
import { useApp } from '../../lib/app-store';
import { openDialog } from '../../lib/dialogs';
import { Button } from '../../ui/Button';
import { Kbd } from '../../ui/Kbd';
import { PictureConsumer, PictureProducer, PictureWatch } from './pictures';

/** What stands in the middle before anything is shared: three steps to see bytes of one process change in another. */
export function FirstRun() {
  const device = useApp((store) => store.devices[0]?.ordinal ?? 0);
  return (
    <div className="first">
      <div className="hero">
        <h2>Nothing is shared yet</h2>
        <p>See one process’s bytes change in another, in three steps.</p>
        <ol className="path">
          <li>
            <PictureProducer />
            <h3>
              <span className="num">1</span>Start a producer
            </h3>
            <p>A process with GPU memory of its own. It fills the memory and exports a handle.</p>
            <Button look="primary" size="big" icon="exporter" onClick={() => void openDemo('producer', device)}>
              Start a producer
            </Button>
          </li>
          <li>
            <PictureConsumer />
            <h3>
              <span className="num">2</span>Start a consumer
            </h3>
            <p>A second process. It opens the handle, 64 bytes, and maps the same memory.</p>
            <Button
              look="line"
              size="big"
              icon="importer"
              iconTone="importer"
              onClick={() => void openDemo('consumer', device)}
            >
              Start a consumer
            </Button>
          </li>
          <li>
            <PictureWatch />
            <h3>
              <span className="num">3</span>Watch
            </h3>
            <p>Write in either window: the bytes change in both, and here. Then close one and see what stays.</p>
            <Button look="line" size="big" icon="play" onClick={() => void playDemo()}>
              Play all three
            </Button>
          </li>
        </ol>
      </div>
      <footer className="else">
        <span>Have a handle from another program?</span>
        <Button icon="import" className="accent" onClick={() => openDialog({ kind: 'import' })}>
          Import it
        </Button>
        <span className="grow" />
        <Button className="accent" onClick={() => openDialog({ kind: 'sharing' })}>
          How sharing works
        </Button>
        <Button className="accent" onClick={() => openDialog({ kind: 'shortcuts' })}>
          Keyboard <Kbd>?</Kbd>
        </Button>
      </footer>
    </div>
  );
}
