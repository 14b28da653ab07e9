printf 'Hello\0\001\377 World' > f
od -c f; od -x f; od -An -tx1 f; hexdump -C f; xxd f 2>/dev/null || true
