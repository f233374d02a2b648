# The two commands of this project, `make up` and `make test`, and the smaller ones they are made of.
.DEFAULT_GOAL := help
LAYERS := static unit postgres conformance e2e up local

.PHONY: help setup up down demo test guards env clean-data $(LAYERS:%=test-%)

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
	@echo "test-LAYER    one test layer: $(LAYERS)"

setup: ## install what is missing
	@scripts/setup.sh

up: ## set up, start, deploy the first Agents and talk to them (DEMO=0: start empty)
	@DEMO='$(DEMO)' scripts/up.sh

down: ## stop everything; nothing is lost
	@scripts/down.sh

demo: ## deploy the first Agents again and talk to them
	@scripts/demo.sh

test: ## set up and run every test layer, as CI does
	@scripts/test.sh

$(LAYERS:%=test-%): test-%:
	@scripts/test.sh $*

guards: ## take each line that keeps an invariant out of a copy, and expect its test to fail (GUARDS='name …': only these)
	@scripts/guards.sh $(GUARDS)

env: ## what a shell needs to use occ as the server was started: eval "$$(make -s env)"
	@scripts/env.sh

clean-data: ## stop, and forget the installation with all its data
	@scripts/clean-data.sh
