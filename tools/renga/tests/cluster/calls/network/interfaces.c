// What programs learn of interfaces, as it is said of the loopback, which is the same everywhere; and names that
// sockets get by themselves.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void say(const char *what, long result) {
    if (result < 0) printf("%s: %s\n", what, strerror(errno));
    else printf("%s: %ld\n", what, result);
}

// The loopback is up, on a Linux that has just begun, too.
static void raise_loopback(int fd) {
    struct ifreq request = {.ifr_name = "lo"};
    ioctl(fd, SIOCGIFFLAGS, &request);
    if (request.ifr_flags & IFF_UP) return;
    request.ifr_flags |= IFF_UP;
    ioctl(fd, SIOCSIFFLAGS, &request);
}

static const char *address_of(const struct sockaddr *address) {
    static char text[100];
    if (!address) return "none";
    if (address->sa_family == AF_INET) inet_ntop(AF_INET, &((struct sockaddr_in *)address)->sin_addr, text, sizeof text);
    else if (address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)address)->sin6_addr, text, sizeof text);
    else if (address->sa_family == AF_PACKET) {
        const struct sockaddr_ll *link = (const struct sockaddr_ll *)address;
        sprintf(text, "hardware %d, %d bytes, index %d", link->sll_hatype, link->sll_halen, link->sll_ifindex);
    } else sprintf(text, "family %d", address->sa_family);
    return text;
}

static void ask(int fd, const char *name, unsigned long request, const char *what) {
    struct ifreq answer;
    memset(&answer, 0x55, sizeof answer);
    memset(answer.ifr_name, 0, sizeof answer.ifr_name);
    strcpy(answer.ifr_name, name);
    if (ioctl(fd, request, &answer)) printf("%s %s: %s\n", name, what, strerror(errno));
    else if (request == SIOCGIFFLAGS) printf("%s %s: %#x\n", name, what, (unsigned short)answer.ifr_flags);
    else if (request == SIOCGIFHWADDR)
        printf("%s %s: %d %02x\n", name, what, answer.ifr_hwaddr.sa_family, answer.ifr_hwaddr.sa_data[5]);
    else if (strstr(what, "address")) printf("%s %s: %s\n", name, what, address_of(&answer.ifr_addr));
    else printf("%s %s: %d\n", name, what, answer.ifr_ifindex);
}

static void by_ioctl(void) {
    const struct { unsigned long request; const char *what; } requests[] = {
        {SIOCGIFFLAGS, "flags"}, {SIOCGIFADDR, "address"}, {SIOCGIFNETMASK, "address mask"},
        {SIOCGIFDSTADDR, "address there"}, {SIOCGIFBRDADDR, "address of all"}, {SIOCGIFMTU, "mtu"},
        {SIOCGIFINDEX, "index"}, {SIOCGIFMETRIC, "metric"}, {SIOCGIFHWADDR, "hardware"}, {SIOCGIFTXQLEN, "queue"}};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), local = socket(AF_UNIX, SOCK_DGRAM, 0);
    raise_loopback(fd);
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++) ask(fd, "lo", requests[i].request, requests[i].what);
    ask(fd, "none", SIOCGIFFLAGS, "flags");
    ask(fd, "", SIOCGIFINDEX, "index");
    ask(local, "lo", SIOCGIFINDEX, "index by a local socket");
    ask(local, "lo", SIOCGIFADDR, "address by a local socket");
    ask(0, "lo", SIOCGIFINDEX, "index by no socket");
    struct ifreq named = {.ifr_ifindex = 1}, entries[20];
    say("name", ioctl(fd, SIOCGIFNAME, &named));
    printf("%s\n", named.ifr_name);
    named.ifr_ifindex = 99;
    say("no name", ioctl(fd, SIOCGIFNAME, &named));
    struct ifconf list = {.ifc_len = 0, .ifc_req = 0};
    say("needs", ioctl(fd, SIOCGIFCONF, &list));
    printf("whole %d\n", list.ifc_len > 0 && list.ifc_len % sizeof *entries == 0);
    list.ifc_len = sizeof *entries - 1, list.ifc_req = entries;
    say("too small", ioctl(fd, SIOCGIFCONF, &list));
    printf("%d bytes\n", list.ifc_len);
    list.ifc_len = sizeof *entries + 5;
    say("one", ioctl(fd, SIOCGIFCONF, &list));
    printf("%d bytes, %s %s\n", list.ifc_len, entries[0].ifr_name, address_of(&entries[0].ifr_addr));
    printf("index %u, none %u %s\n", if_nametoindex("lo"), if_nametoindex("none"), strerror(errno));
}

static void by_library(void) {
    struct ifaddrs *all, *one;
    say("getifaddrs", getifaddrs(&all));
    for (one = all; one; one = one->ifa_next) {
        // Linux has the addresses of its board here, too.
        if (strcmp(one->ifa_name, "lo") || strspn(address_of(one->ifa_addr), "10.fd") > 2) continue;
        printf("%s flags %#x, address %s", one->ifa_name, one->ifa_flags, address_of(one->ifa_addr));
        printf(", mask %s\n", address_of(one->ifa_netmask));
    }
    struct if_nameindex *names = if_nameindex();
    printf("%u %s\n", names[0].if_index, names[0].if_name);
}

static int request(int fd, int kind, int flags, int index) {
    struct { struct nlmsghdr header; struct ifinfomsg body; } message = {
        {sizeof message, kind, flags, 7, 0}, {.ifi_index = index}};
    return send(fd, &message, sizeof message, 0);
}

static void by_netlink(void) {
    char bytes[8192];
    say("protocol", socket(AF_NETLINK, SOCK_RAW, 999));
    say("stream", socket(AF_NETLINK, SOCK_STREAM, NETLINK_ROUTE));
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct sockaddr_nl own = {.nl_family = AF_NETLINK}, from;
    socklen_t length = sizeof own;
    say("family", (getsockname(fd, (void *)&own, &length), own.nl_family));
    printf("no port %u, %u bytes\n", own.nl_pid, length);
    own.nl_pid = 0;
    say("bind", bind(fd, (void *)&own, sizeof own));
    say("own", getsockname(fd, (void *)&own, &length));
    printf("port %d\n", own.nl_pid == getpid());
    say("nothing", recv(fd, bytes, 10, MSG_DONTWAIT));
    struct pollfd ready = {fd, POLLIN};
    say("ready", poll(&ready, 1, 0));
    say("asked", request(fd, RTM_GETLINK, NLM_F_REQUEST, 1));
    say("ready", poll(&ready, 1, 0));
    long peeked = recv(fd, bytes, 0, MSG_PEEK | MSG_TRUNC);
    long received = recvfrom(fd, bytes, sizeof bytes, 0, (void *)&from, &length);
    struct nlmsghdr *header = (void *)bytes;
    struct ifinfomsg *link = NLMSG_DATA(header);
    printf("peeked %d, whole %d\n", peeked == received, header->nlmsg_len == received);
    printf("type %d flags %#x for %u port %d from %u %u\n", header->nlmsg_type, header->nlmsg_flags, header->nlmsg_seq,
        header->nlmsg_pid == getpid(), from.nl_family, from.nl_pid);
    printf("index %d hardware %d flags %#x\n", link->ifi_index, link->ifi_type, link->ifi_flags);
    say("asked", request(fd, RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK, 99));
    recv(fd, bytes, sizeof bytes, 0);
    struct nlmsgerr *error = NLMSG_DATA(header);
    printf("type %d: %s, of %d\n", header->nlmsg_type, strerror(-error->error), error->msg.nlmsg_type);
    say("nothing", recv(fd, bytes, 10, MSG_DONTWAIT));
    say("no request", request(fd, RTM_GETLINK, 0, 1));
    say("nothing", recv(fd, bytes, 10, MSG_DONTWAIT));
    say("short", send(fd, bytes, 3, 0));
    int type, room = sizeof type;
    say("listen", listen(fd, 1));
    say("domain", getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &type, &room) ? -1 : type);
    say("connect", connect(fd, (void *)&(struct sockaddr_nl){AF_NETLINK}, sizeof own));
}

static void names_by_themselves(void) {
    struct sockaddr_un none = {AF_UNIX}, one, two;
    socklen_t length = sizeof one, other = sizeof two;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0), next = socket(AF_UNIX, SOCK_DGRAM, 0);
    say("bind", bind(fd, (void *)&none, 2));
    say("name", getsockname(fd, (void *)&one, &length));
    printf("%d %d %d\n", length, one.sun_path[0], (int)strspn(one.sun_path + 1, "0123456789abcdef") >= 5);
    say("again", bind(fd, (void *)&none, 2));
    say("next", bind(next, (void *)&none, 2));
    getsockname(next, (void *)&two, &other);
    printf("differ %d\n", memcmp(&one, &two, 8) != 0);
    say("sent", sendto(next, "word", 4, 0, (void *)&one, length));
    char bytes[9];
    struct sockaddr_un from;
    say("received", recvfrom(fd, bytes, 9, 0, (void *)&from, &length));
    printf("from it %d\n", memcmp(&from, &two, 8) == 0);
    say("third", bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&one, 8));
    close(fd);
    say("gone", sendto(next, "word", 4, 0, (void *)&one, 8));
}

static void all_addresses(void) {
    struct sockaddr_in address = {AF_UNSPEC};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    say("bind without a family", bind(fd, (void *)&address, sizeof address));
    say("bound", getsockname(fd, (void *)&address, &length));
    printf("%d %s %d\n", address.sin_family, address_of((void *)&address), address.sin_port != 0);
    struct sockaddr_in one = {AF_UNSPEC, 0, {htonl(INADDR_LOOPBACK)}};
    say("to one", bind(socket(AF_INET, SOCK_STREAM, 0), (void *)&one, sizeof one));
}

int main(int count, char **words) {
    setvbuf(stdout, 0, _IONBF, 0);
    by_ioctl();
    by_library();
    by_netlink();
    names_by_themselves();
    all_addresses();
    return 0;
}
