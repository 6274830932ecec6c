# For tests of what compares machines: two whose times can be worked out by hand, programs, and what a page must be.

load set_up.bash
load refused.bash

# make_machines: computing costs nothing, and a message 1 s on slow: P processors pass on and reduce in ceil(log2 P) rounds
# each. fast is twice as fast, and more than twice as dear.
make_machines()
{
    cat >slow.machine <<'END'
name = "slow";
compute = { zero = true; };
agreement_us = 0.0;
relative_error = 0.0;
network = { type = "hockney"; latency_us = 1000000.0; bandwidth_mb_per_s = 1e9; };
node = { processors = 2; price_per_hour = 3600.0; memory_gb = 1; };
END
    sed -e 's/"slow"/"fast"/' -e 's/1000000.0/500000.0/' -e 's/3600.0/8000.0/' slow.machine >fast.machine
}

# make_programs: of the language, and a file of equations
make_programs()
{
    cat >sum.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Procs) [1, 2, 3, 4, 5, 6, 7, 8]
END
    cat >rules.model <<'END'
program "rules", "n"
ranks 1
call collective "bcast" root 0 bytes 8*d
END
}

# stands_alone PAGE: it links to nothing, and what it opens it closes
stands_alone()
{
    if grep -E '(src|href)=' "$1"; then fail "$1 links to something"; fi
    python3 - "$1" <<'END'
from html.parser import HTMLParser
import sys
class Check(HTMLParser):
    open_tags = []
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "line", "rect", "polyline", "polygon", "circle"):
            self.open_tags.append(tag)
    def handle_endtag(self, tag):
        assert self.open_tags.pop() == tag, tag
check = Check()
check.feed(open(sys.argv[1]).read())
assert not check.open_tags, check.open_tags
END
}
