# SPDX-License-Identifier: MIT
bindir  := $(DESTDIR)$(PREFIX)/bin
mandir  := $(DESTDIR)$(PREFIX)/share/man/man1
bashdir := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir  := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fishdir := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: hugecov ## install under $(DESTDIR)$(PREFIX)
	install -D -m 755 hugecov $(bindir)/hugecov
	install -D -m 644 man/hugecov.1 $(mandir)/hugecov.1
	install -D -m 644 completions/hugecov.bash $(bashdir)/hugecov
	install -D -m 644 completions/_hugecov $(zshdir)/_hugecov
	install -D -m 644 completions/hugecov.fish $(fishdir)/hugecov.fish

uninstall: ## remove what install put there
	rm -f $(bindir)/hugecov $(mandir)/hugecov.1 $(bashdir)/hugecov $(zshdir)/_hugecov $(fishdir)/hugecov.fish
	-rmdir -p --ignore-fail-on-non-empty $(bindir) $(mandir) $(bashdir) $(zshdir) $(fishdir) 2>/dev/null || true
