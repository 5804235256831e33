package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// database is DuckDB in memory, over one connection.
type database struct {
	connector *duckdb.Connector
	db        *sql.DB
	conn      *sql.Conn
}

func openDatabase(threads int) (*database, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, err
	}
	d := &database{connector: connector, db: sql.OpenDB(connector)}
	if d.conn, err = d.db.Conn(context.Background()); err == nil {
		err = d.exec(fmt.Sprintf("SET threads TO %d", threads))
	}
	if err != nil {
		d.db.Close()
		return nil, err
	}
	return d, nil
}

func (d *database) close() { d.db.Close() }

func (d *database) exec(query string) error {
	_, err := d.conn.ExecContext(context.Background(), query)
	return err
}

// value returns the only value of a query.
func (d *database) value(query string) (x any, err error) {
	err = d.conn.QueryRowContext(context.Background(), query).Scan(&x)
	return x, err
}

// fill makes a table, declared as NAME(COLUMN TYPE, ...), which replaces the
// table of the previous workload.
func (d *database) fill(declaration string, rows int, row func(i int) []driver.Value) error {
	name, _, _ := strings.Cut(declaration, "(")
	if err := errors.Join(d.exec("DROP TABLE IF EXISTS "+name), d.exec("DROP TABLE IF EXISTS result"), d.exec("CREATE TABLE "+declaration)); err != nil {
		return err
	}
	return d.conn.Raw(func(raw any) (err error) {
		appender, err := duckdb.NewAppenderFromConn(raw.(driver.Conn), "", name)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, appender.Close()) }()
		for i := range rows {
			if err := appender.AppendRow(row(i)...); err != nil {
				return err
			}
		}
		return nil
	})
}
