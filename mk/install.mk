# SPDX-License-Identifier: MIT
# What is installed: SOURCE:TARGET:MODE.
INSTALLED := hugecov:bin/hugecov:755 \
	man/hugecov.1:share/man/man1/hugecov.1:644 \
	completions/hugecov.bash:share/bash-completion/completions/hugecov:644 \
	completions/_hugecov:share/zsh/site-functions/_hugecov:644 \
	completions/hugecov.fish:share/fish/vendor_completions.d/hugecov.fish:644

install: hugecov ## install under $(DESTDIR)$(PREFIX)
	$(Q)set -e; for f in $(INSTALLED); do \
		source=$${f%%:*}; rest=$${f#*:}; \
		install -D -m "$${rest#*:}" "$$source" '$(DESTDIR)$(PREFIX)'/"$${rest%%:*}"; done

# Empty folders go too, up to PREFIX or DESTDIR. Those of /usr and /usr/local are the system's and stay.
uninstall: ## remove what install put there
	$(Q)set -e; for f in $(INSTALLED); do \
		rest=$${f#*:}; file=$${rest%%:*}; \
		rm -f '$(DESTDIR)$(PREFIX)'/"$$file"; \
		case '$(DESTDIR):$(PREFIX)' in :/usr|:/usr/local) continue ;; \
		:*) top='$(PREFIX)/..' below=$$(basename '$(PREFIX)') ;; \
		*) top='$(DESTDIR)' below='.$(PREFIX)' ;; esac; \
		(cd "$$top" && rmdir -p --ignore-fail-on-non-empty "$$below/$${file%/*}") 2>/dev/null || true; done
