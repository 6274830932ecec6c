/* Carries out the messages of a trace in SimGrid, on a platform of its own: a second opinion on networks.
 *
 *   replay PLATFORM ACTIONS SEND_SECONDS RECEIVE_SECONDS
 *
 * ACTIONS, one a line, in the order of every processor: "P send Q BYTES", "P receive Q", "P wait" for all that P has sent,
 * "P meet" with all others. Processor P is the host pP. A message is on its way from when it is sent, as messages of bmf
 * are. Prints the seconds until the last processor is ready. */
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

struct action {
    std::string what;
    int peer = -1;
    double bytes = 0;
};

static std::map<int, std::vector<action>> actions;
static std::map<int, std::vector<int>> senders;
static sg::BarrierPtr meeting;
static double send_seconds, receive_seconds, last;

static sg::Mailbox *mailbox(int from, int to)
{
    return sg::Mailbox::by_name(std::to_string(from) + "-" + std::to_string(to));
}

static void processor(int me)
{
    static int payload;
    std::vector<sg::CommPtr> sent;
    for (int from : senders[me])
        mailbox(from, me)->set_receiver(sg::Actor::self());
    meeting->wait();
    for (const action &a : actions[me]) {
        if (a.what == "send") {
            sg::this_actor::sleep_for(send_seconds);
            sent.push_back(mailbox(me, a.peer)->put_async(&payload, static_cast<uint64_t>(a.bytes)));
        } else if (a.what == "receive") {
            mailbox(a.peer, me)->get<int>();
            sg::this_actor::sleep_for(receive_seconds);
        } else if (a.what == "wait") {
            for (const sg::CommPtr &one : sent)
                one->wait();
            sent.clear();
        } else {
            meeting->wait();
        }
    }
    for (const sg::CommPtr &one : sent)
        one->wait();
    last = std::max(last, sg::Engine::get_clock());
}

int main(int argc, char **argv)
{
    sg::Engine engine(&argc, argv);
    std::string line;
    if (argc != 5)
        return 2;
    engine.load_platform(argv[1]);
    std::ifstream file(argv[2]);
    while (std::getline(file, line)) {
        std::istringstream words(line);
        int me;
        action a;
        words >> me >> a.what >> a.peer >> a.bytes;
        actions[me].push_back(a);
        if (a.what == "send")
            senders[a.peer].push_back(me);
    }
    send_seconds = std::atof(argv[3]);
    receive_seconds = std::atof(argv[4]);
    meeting = sg::Barrier::create(static_cast<unsigned>(actions.size()));
    for (const auto &one : actions)
        sg::Actor::create("p" + std::to_string(one.first), sg::Host::by_name("p" + std::to_string(one.first)), processor,
                          one.first);
    engine.run();
    std::cout.precision(12);
    std::cout << last << std::endl;
    return 0;
}
