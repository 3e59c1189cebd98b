import { Menu } from '@base-ui/react/menu'
import Plus from 'lucide-react/icons/plus'
import Table2 from 'lucide-react/icons/table-2'
import X from 'lucide-react/icons/x'
import { type ReactElement, useRef } from 'react'
import { FileInput } from '../app/file-input.tsx'
import { formatCount, plural } from '../app/format.ts'
import { IconButton } from '../app/icon-button.tsx'
import menu from '../app/menu.module.css'
import { openSheet } from '../app/panes.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { TABLE_FILES } from '../attachments/file-kinds.ts'
import { useAddFiles } from '../chat/use-add-files.ts'
import { SAMPLES, type TableInfo } from '../data/tables.ts'
import styles from './data-section.module.css'

/** The tables that questions can be asked about, and ways to add more. */
export function DataSection(): ReactElement {
  const { tables, loading } = useData()
  return (
    <section className={styles.section} aria-label="Data">
      <header className={styles.head}>
        <h2>Data</h2>
        <AddData />
      </header>
      <ul className={styles.tables}>
        {tables.map((table) => (
          <TableRow key={table.name} table={table} />
        ))}
      </ul>
      {loading && <p className={styles.none}>Reading {loading.label}…</p>}
      {!loading && tables.length === 0 && <p className={styles.none}>No tables yet.</p>}
    </section>
  )
}

function TableRow({ table }: { table: TableInfo }): ReactElement {
  const { library } = usePlayground()
  const size = `${formatCount(table.rowCount)} × ${table.columns.length}`
  const columns = table.columns.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)).join(', ')
  return (
    <li className={styles.table} title={columns}>
      <Table2 size={14} aria-hidden="true" />
      <span className={styles.name}>{table.label}</span>
      <span className={styles.size}>
        <span aria-hidden="true">{size}</span>
        <span className="unseen">
          {plural(table.rowCount, 'row')}, {plural(table.columns.length, 'column')}
        </span>
      </span>
      <IconButton
        label={`Remove ${table.label}`}
        className={styles.remove}
        onClick={() => library.remove(table.name).catch(shownByTheLibrary)}
      >
        <X size={13} aria-hidden="true" />
      </IconButton>
    </li>
  )
}

// The library says in its snapshot what went wrong.
function shownByTheLibrary(): void {}

function AddData(): ReactElement {
  const { library } = usePlayground()
  const addFiles = useAddFiles()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger render={<IconButton label="Add data" className={styles.add} />}>
          <Plus size={15} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className={menu.positioner} side="top" align="end" sideOffset={4}>
            <Menu.Popup className={menu.popup}>
              <Menu.Item className={menu.item} onClick={() => input.current?.click()}>
                Choose files…
                <span className={menu.detail}>CSV, TSV or JSON, or drop them anywhere</span>
              </Menu.Item>
              <Menu.Separator className={menu.separator} />
              {SAMPLES.map((sample) => (
                <Menu.Item
                  key={sample.id}
                  className={menu.item}
                  onClick={() => library.addSample(sample.id).catch(shownByTheLibrary)}
                >
                  {sample.label}
                  <span className={menu.detail}>{sample.description}</span>
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <FileInput
        ref={input}
        multiple
        accept={TABLE_FILES}
        label="Table files"
        onFiles={(files) => {
          addFiles(files)
          openSheet.set(undefined)
        }}
      />
    </>
  )
}
