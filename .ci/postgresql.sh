# Functions for bash: a PostgreSQL server of its own, in a temporary folder on a free port.

PATH="$PATH:/usr/sbin:/sbin" # runuser is there, and not on every root's PATH

# PostgreSQL refuses to run as root; Debian's package creates a user for it, which cannot read the project's folder.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

free_port() {
    .venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Start a server of the programs initdb and pg_ctl in the folder $1, export its address, and stop it when the script
# ends. With the folder $2, which has that folder at the same place, the server runs from a copy that its user can read.
start_postgresql() {
    local port
    programs=$1
    folder=$(as_postgres mktemp -d)
    trap stop_postgresql EXIT
    if [ -n "${2:-}" ]; then
        cp -R "$2" "$folder/copy"
        chmod -R a+rX "$folder/copy"
        programs="$folder/copy/$1"
    fi
    port=$(free_port)
    # It sorts by an English locale, as many production servers do: the order of responses must not depend on it.
    as_postgres "$programs/initdb" --pgdata "$folder/data" --username postgres --auth trust --no-sync \
        --encoding UTF8 --locale C.UTF-8 --locale-provider icu --icu-locale en >/dev/null
    as_postgres "$programs/pg_ctl" start --pgdata "$folder/data" --log "$folder/log" --silent --wait \
        --options "-p $port -k $folder -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off"
    export TEST_POSTGRESQL_URL="postgresql://postgres@127.0.0.1:$port/postgres"
}

stop_postgresql() {
    as_postgres "$programs/pg_ctl" stop --pgdata "$folder/data" --mode immediate --silent || true
    rm -rf "$folder"
}
