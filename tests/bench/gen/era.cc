#include "gen/era.h"

#include <array>

namespace ncclwhy::bench {
namespace {

using T = std::string_view;

// 2.19.3 and 2.21.5
constexpr std::array kClosed19 = {T("misc/socket.cc:752 -> 6"), T("transport/net_socket.cc:473 -> 6"),
                                  T("transport/net.cc:1298 -> 6"), T("proxy.cc:694 -> 6"),
                                  T("proxy.cc:874 -> 6 [Progress Thread]")};
constexpr std::array kClosed21 = {T("misc/socket.cc:752 -> 6"), T("transport/net_socket.cc:474 -> 6"),
                                  T("transport/net.cc:1302 -> 6"), T("proxy.cc:698 -> 6"),
                                  T("proxy.cc:878 -> 6 [Progress Thread]")};
constexpr std::array kClosedInit19 = {
    T("misc/socket.cc:792 -> 6"),        T("bootstrap.cc:71 -> 6"), T("bootstrap.cc:437 -> 6"),
    T("transport.cc:120 -> 6"),          T("init.cc:1103 -> 6"),    T("init.cc:1398 -> 6"),
    T("group.cc:64 -> 6 [Async thread]")};
constexpr std::array kClosedInit21 = {
    T("misc/socket.cc:792 -> 6"), T("bootstrap.cc:71 -> 6"), T("bootstrap.cc:447 -> 6"), T("transport.cc:138 -> 6"),
    T("init.cc:1263 -> 6"),       T("init.cc:1548 -> 6"),    T("init.cc:1799 -> 6"),     T("init.cc:1837 -> 6")};
constexpr std::array kSegmentService19 = {T("transport/net.cc:700 -> 2"), T("proxy.cc:1253 -> 2")};
constexpr std::array kSegmentService21 = {T("transport/shm.cc:104 -> 2"), T("proxy.cc:1257 -> 2")};
constexpr std::array kSegment19 = {T("transport/shm.cc:100 -> 2"), T("transport.cc:33 -> 2"),
                                   T("transport.cc:100 -> 2"),     T("init.cc:1110 -> 2"),
                                   T("init.cc:1398 -> 2"),         T("init.cc:1640 -> 2")};
constexpr std::array kSegment21 = {
    T("transport/shm.cc:114 -> 2"), T("transport.cc:33 -> 2"), T("transport.cc:113 -> 2"), T("init.cc:1263 -> 2"),
    T("init.cc:1548 -> 2"),         T("init.cc:1799 -> 2"),    T("init.cc:1837 -> 2")};
constexpr std::array kNoInterface21 = {T("init.cc:84 -> 3"), T("init.cc:103 -> 3")};
constexpr std::array kDuplicate19 = {T("init.cc:1398 -> 5"), T("init.cc:1640 -> 5"), T("init.cc:1679 -> 5")};
constexpr std::array kDuplicate21 = {T("init.cc:1548 -> 5"), T("init.cc:1799 -> 5"), T("init.cc:1837 -> 5")};
constexpr std::array kOom19 = {T("channel.cc:41 -> 1"), T("init.cc:489 -> 1"), T("init.cc:1107 -> 1"),
                               T("init.cc:1398 -> 1"), T("init.cc:1640 -> 1")};
constexpr std::array kOom21 = {T("channel.cc:41 -> 1"), T("init.cc:526 -> 1"),  T("init.cc:1259 -> 1"),
                               T("init.cc:1548 -> 1"),  T("init.cc:1799 -> 1"), T("init.cc:1837 -> 1")};
constexpr std::array kIllegal21 = {T("group.cc:162 -> 1"), T("group.cc:339 -> 1"), T("group.cc:418 -> 1"),
                                   T("enqueue.cc:2032 -> 1"), T("collectives.cc:50 -> 1")};
constexpr std::array kCompletion19 = {T("transport/net.cc:1298 -> 6"), T("proxy.cc:694 -> 6"),
                                      T("proxy.cc:874 -> 6 [Progress Thread]")};
constexpr std::array kCompletion21 = {T("transport/net.cc:1302 -> 6"), T("proxy.cc:698 -> 6"),
                                      T("proxy.cc:878 -> 6 [Progress Thread]")};
constexpr std::array kConnect21 = {T("misc/socket.cc:567 -> 2"), T("misc/socket.cc:621 -> 2"),
                                   T("bootstrap.cc:285 -> 2"),   T("init.cc:1534 -> 2"),
                                   T("init.cc:1799 -> 2"),       T("init.cc:1837 -> 2")};
constexpr std::array kVersion21 = {T("bootstrap.cc:130 -> 3")};

// 2.24.3 and 2.28.9
constexpr std::array kClosed24 = {T("misc/socket.cc:806 -> 6"), T("transport/net_socket.cc:512 -> 6"),
                                  T("transport/net.cc:1358 -> 6"), T("proxy.cc:728 -> 6"),
                                  T("proxy.cc:914 -> 6 [Progress Thread]")};
constexpr std::array kClosed28 = {T("misc/socket.cc:845 -> 6"), T("transport/net_socket.cc:557 -> 6"),
                                  T("transport/net.cc:1508 -> 6"), T("proxy.cc:965 -> 6 [Progress Thread]")};
constexpr std::array kClosedInit24 = {
    T("misc/socket.cc:860 -> 6"), T("bootstrap.cc:231 -> 6"), T("bootstrap.cc:1033 -> 6"), T("bootstrap.cc:1058 -> 6"),
    T("transport.cc:153 -> 6"),   T("init.cc:1148 -> 6"),     T("init.cc:1469 -> 6"),      T("init.cc:1756 -> 6")};
constexpr std::array kClosedInit28 = {T("misc/socket.cc:899 -> 6"),
                                      T("bootstrap.cc:233 -> 6"),
                                      T("bootstrap.cc:1056 -> 6"),
                                      T("bootstrap.cc:1081 -> 6"),
                                      T("transport/generic.cc:30 -> 6"),
                                      T("init.cc:1282 -> 6"),
                                      T("init.cc:1582 -> 6"),
                                      T("init.cc:2028 -> 6"),
                                      T("init.cc:2055 -> 6")};
constexpr std::array kAbort24 = {T("misc/socket.cc:64 -> 3"), T("misc/socket.cc:80 -> 3"),
                                 T("misc/socket.cc:829 -> 3")};
constexpr std::array kAbortService24 = {T("misc/socket.cc:904 -> 3")};
constexpr std::array kAbort28 = {T("misc/socket.cc:64 -> 3"), T("misc/socket.cc:81 -> 3"),
                                 T("misc/socket.cc:868 -> 3")};
constexpr std::array kAbortService28 = {T("misc/socket.cc:943 -> 3")};
constexpr std::array kSegmentService24 = {T("transport/shm.cc:546 -> 2"), T("transport/shm.cc:488 -> 2")};
constexpr std::array kSegmentService28 = {T("transport/shm.cc:549 -> 2"), T("transport/shm.cc:491 -> 2")};
constexpr std::array kSegment24 = {T("transport/shm.cc:150 -> 2"), T("transport.cc:34 -> 2"),
                                   T("transport.cc:145 -> 2"),     T("init.cc:1148 -> 2"),
                                   T("init.cc:1469 -> 2"),         T("init.cc:1756 -> 2")};
constexpr std::array kSegment28 = {T("transport/shm.cc:153 -> 2"), T("transport.cc:35 -> 2"),
                                   T("transport.cc:162 -> 2"),     T("transport/generic.cc:25 -> 2"),
                                   T("init.cc:1282 -> 2"),         T("init.cc:1582 -> 2"),
                                   T("init.cc:2028 -> 2"),         T("init.cc:2055 -> 2")};
constexpr std::array kNoInterface24 = {T("init.cc:115 -> 5"), T("init.cc:1698 -> 5"), T("init.cc:1787 -> 5")};
constexpr std::array kNoInterface28 = {T("init.cc:126 -> 5"), T("init.cc:1975 -> 5"), T("init.cc:2055 -> 5")};
constexpr std::array kDuplicate24 = {T("init.cc:1469 -> 5"), T("init.cc:1756 -> 5"), T("init.cc:1787 -> 5")};
constexpr std::array kDuplicate28 = {T("init.cc:1582 -> 5"), T("init.cc:2028 -> 5"), T("init.cc:2055 -> 5")};
constexpr std::array kOom24 = {T("channel.cc:42 -> 1"), T("init.cc:587 -> 1"), T("init.cc:1146 -> 1"),
                               T("init.cc:1469 -> 1"), T("init.cc:1756 -> 1")};
constexpr std::array kOom28 = {T("channel.cc:42 -> 1"), T("init.cc:681 -> 1"),  T("init.cc:1280 -> 1"),
                               T("init.cc:1582 -> 1"),  T("init.cc:2028 -> 1"), T("init.cc:2055 -> 1")};
constexpr std::array kIllegal24 = {T("group.cc:245 -> 1"), T("group.cc:468 -> 1"), T("group.cc:573 -> 1"),
                                   T("enqueue.cc:2219 -> 1")};
constexpr std::array kIllegal28 = {T("group.cc:309 -> 1"), T("group.cc:605 -> 1"), T("group.cc:743 -> 1"),
                                   T("enqueue.cc:2655 -> 1")};
constexpr std::array kCompletion24 = {T("transport/net.cc:1358 -> 6"), T("proxy.cc:728 -> 6"),
                                      T("proxy.cc:914 -> 6 [Progress Thread]")};
constexpr std::array kCompletion28 = {T("transport/net.cc:1508 -> 6"), T("proxy.cc:965 -> 6 [Progress Thread]")};
constexpr std::array kConnect24 = {T("misc/socket.cc:643 -> 2"), T("misc/socket.cc:693 -> 2"),
                                   T("bootstrap.cc:701 -> 2"),   T("init.cc:1440 -> 2"),
                                   T("init.cc:1756 -> 2"),       T("init.cc:1787 -> 2")};
constexpr std::array kConnect28 = {T("misc/socket.cc:684 -> 2"), T("misc/socket.cc:734 -> 2"),
                                   T("bootstrap.cc:724 -> 2"),   T("init.cc:1553 -> 2"),
                                   T("init.cc:2028 -> 2"),       T("init.cc:2055 -> 2")};

// 2.30.7 names the function.
constexpr std::array kClosed30 = {
    T("misc/socket.cc:412 (ncclSocketProgress) -> 6"), T("transport/net_socket.cc:621 (ncclNetSocketTest) -> 6"),
    T("transport/net.cc:1571 (recvProxyProgress) -> 6"), T("proxy.cc:1043 (ncclProxyProgress) -> 6 [Progress Thread]")};
constexpr std::array kClosedInit30 = {
    T("misc/socket.cc:466 (ncclSocketSend) -> 6"), T("bootstrap.cc:247 (socketRecv) -> 6"),
    T("bootstrap.cc:1120 (bootstrapRecv) -> 6"),   T("transport/generic.cc:31 (ncclTransportRingConnect) -> 6"),
    T("init.cc:1505 (initTransportsRank) -> 6"),   T("init.cc:1906 (ncclCommInitRankFunc) -> 6"),
    T("init.cc:2572 (ncclCommInitRank_impl) -> 6")};
constexpr std::array kAbort30 = {T("os/linux.cc:101 (ncclOsSocketProgressOpt) -> 3"),
                                 T("misc/socket.cc:66 (socketProgress) -> 3"),
                                 T("misc/socket.cc:435 (ncclSocketWait) -> 3")};
constexpr std::array kAbortService30 = {T("misc/socket.cc:510 (ncclSocketTryRecv) -> 3")};
constexpr std::array kSegmentService30 = {T("transport/shm.cc:602 (ncclShmAllocateShareableBuffer) -> 2"),
                                          T("transport/shm.cc:505 (shmSendProxySetup) -> 2")};
constexpr std::array kSegment30 = {
    T("transport/shm.cc:160 (shmSendSetup) -> 2"),      T("transport.cc:41 (selectTransport) -> 2"),
    T("transport.cc:190 (ncclTransportP2pSetup) -> 2"), T("transport/generic.cc:25 (ncclTransportRingConnect) -> 2"),
    T("init.cc:1505 (initTransportsRank) -> 2"),        T("init.cc:1906 (ncclCommInitRankFunc) -> 2"),
    T("init.cc:2572 (ncclCommInitRank_impl) -> 2")};
constexpr std::array kNoInterface30 = {T("init.cc:146 (ncclInit) -> 5"), T("init.cc:2489 (ncclCommInitRankDev) -> 5"),
                                       T("init.cc:2572 (ncclCommInitRank_impl) -> 5")};
constexpr std::array kDuplicate30 = {T("init.cc:1906 (ncclCommInitRankFunc) -> 5"),
                                     T("init.cc:2572 (ncclCommInitRank_impl) -> 5")};
constexpr std::array kOom30 = {T("channel.cc:43 (initChannel) -> 1"), T("init.cc:781 (setupChannel) -> 1"),
                               T("init.cc:1503 (initTransportsRank) -> 1"),
                               T("init.cc:1906 (ncclCommInitRankFunc) -> 1"),
                               T("init.cc:2572 (ncclCommInitRank_impl) -> 1")};
constexpr std::array kIllegal30 = {T("group.cc:361 (doLaunches) -> 1"), T("group.cc:696 (groupLaunch) -> 1"),
                                   T("group.cc:862 (ncclGroupEndInternal) -> 1"),
                                   T("enqueue.cc:3164 (ncclEnqueueCheck) -> 1")};
constexpr std::array kCompletion30 = {T("transport/net.cc:1571 (recvProxyProgress) -> 6"),
                                      T("proxy.cc:1043 (ncclProxyProgress) -> 6 [Progress Thread]")};
constexpr std::array kConnect30 = {
    T("misc/socket.cc:260 (ncclSocketConnect) -> 2"), T("bootstrap.cc:768 (bootstrapInit) -> 2"),
    T("init.cc:1871 (ncclCommInitRankFunc) -> 2"), T("init.cc:2572 (ncclCommInitRank_impl) -> 2")};

constexpr std::string_view kDuplicateText = "Duplicate GPU detected : rank {0} and rank {1} both on CUDA device {2}";

constexpr std::array kEras = {
    Era{.code = 21903,
        .version = "2.19.3",
        .cuda = "12.3",
        .driver = 12030,
        .closed_at = "misc/socket.cc:50",
        .closed_running = kClosed19,
        .closed_starting = kClosedInit19,
        .abort_main = {},
        .abort_service = {},
        .extend_at = "misc/shmutils.cc:72",
        .segment_at = "misc/shmutils.cc:113",
        .segment_service = kSegmentService19,
        .segment_main = kSegment19,
        .no_interface_at = "bootstrap.cc:48",
        .no_interface = kNoInterface21,
        .duplicate_at = "init.cc:824",
        .duplicate_text = kDuplicateText,
        .duplicate = kDuplicate19,
        .oom_at = "include/alloc.h:200",
        .calloc_at = "include/alloc.h:205",
        .oom = kOom19,
        .illegal_at = "enqueue.cc:1085",
        .illegal = kIllegal21,
        .completion_at = "transport/net_ib.cc:1333",
        .async_at = "transport/net_ib.cc:95",
        .completion = kCompletion19,
        .connect_at = "misc/socket.cc:484",
        .connect = kConnect21,
        .version_at = "bootstrap.cc:77",
        .version_trace = kVersion21},
    Era{.code = 22105,
        .version = "2.21.5",
        .cuda = "12.4",
        .driver = 12040,
        .closed_at = "misc/socket.cc:50",
        .closed_running = kClosed21,
        .closed_starting = kClosedInit21,
        .abort_main = {},
        .abort_service = {},
        .extend_at = "misc/shmutils.cc:72",
        .segment_at = "misc/shmutils.cc:113",
        .segment_service = kSegmentService21,
        .segment_main = kSegment21,
        .no_interface_at = "bootstrap.cc:48",
        .no_interface = kNoInterface21,
        .duplicate_at = "init.cc:943",
        .duplicate_text = kDuplicateText,
        .duplicate = kDuplicate21,
        .oom_at = "include/alloc.h:201",
        .calloc_at = "include/alloc.h:206",
        .oom = kOom21,
        .illegal_at = "enqueue.cc:1402",
        .illegal = kIllegal21,
        .completion_at = "transport/net_ib.cc:1909",
        .async_at = "transport/net_ib.cc:101",
        .completion = kCompletion21,
        .connect_at = "misc/socket.cc:484",
        .connect = kConnect21,
        .version_at = "bootstrap.cc:77",
        .version_trace = kVersion21},
    Era{.code = 22403,
        .version = "2.24.3",
        .cuda = "12.6",
        .driver = 12060,
        .closed_at = "misc/socket.cc:71",
        .closed_running = kClosed24,
        .closed_starting = kClosedInit24,
        .abort_main = kAbort24,
        .abort_service = kAbortService24,
        .extend_at = "misc/shmutils.cc:87",
        .segment_at = "misc/shmutils.cc:128",
        .segment_service = kSegmentService24,
        .segment_main = kSegment24,
        .no_interface_at = "bootstrap.cc:112",
        .no_interface = kNoInterface24,
        .duplicate_at = "init.cc:777",
        .duplicate_text = kDuplicateText,
        .duplicate = kDuplicate24,
        .oom_at = "include/alloc.h:341",
        .calloc_at = "include/alloc.h:347",
        .oom = kOom24,
        .illegal_at = "enqueue.cc:1490",
        .illegal = kIllegal24,
        .completion_at = "transport/net_ib.cc:2244",
        .async_at = "transport/net_ib.cc:173",
        .completion = kCompletion24,
        .connect_at = "misc/socket.cc:555",
        .connect = kConnect24,
        .version_at = "bootstrap.cc:312",
        .version_trace = {}},
    Era{.code = 22809,
        .version = "2.28.9",
        .cuda = "13.0",
        .driver = 13000,
        .closed_at = "misc/socket.cc:71",
        .closed_running = kClosed28,
        .closed_starting = kClosedInit28,
        .abort_main = kAbort28,
        .abort_service = kAbortService28,
        .extend_at = "misc/shmutils.cc:87",
        .segment_at = "misc/shmutils.cc:131",
        .segment_service = kSegmentService28,
        .segment_main = kSegment28,
        .no_interface_at = "bootstrap.cc:114",
        .no_interface = kNoInterface28,
        .duplicate_at = "init.cc:904",
        .duplicate_text = kDuplicateText,
        .duplicate = kDuplicate28,
        .oom_at = "include/alloc.h:340",
        .calloc_at = "include/alloc.h:346",
        .oom = kOom28,
        .illegal_at = "enqueue.cc:1654",
        .illegal = kIllegal28,
        .completion_at = "transport/net_ib.cc:2543",
        .async_at = "transport/net_ib.cc:253",
        .completion = kCompletion28,
        .connect_at = "misc/socket.cc:596",
        .connect = kConnect28,
        .version_at = "bootstrap.cc:327",
        .version_trace = {}},
    Era{.code = 23007,
        .version = "2.30.7",
        .cuda = "13.0",
        .driver = 13000,
        .closed_at = "misc/socket.cc:58 (socketProgress)",
        .closed_running = kClosed30,
        .closed_starting = kClosedInit30,
        .abort_main = kAbort30,
        .abort_service = kAbortService30,
        .extend_at = "os/linux.cc:795 (ncclOsShmOpen)",
        .segment_at = "os/linux.cc:842 (ncclOsShmOpen)",
        .segment_service = kSegmentService30,
        .segment_main = kSegment30,
        .no_interface_at = "bootstrap.cc:126 (bootstrapNetInit)",
        .no_interface = kNoInterface30,
        .duplicate_at = "init.cc:1057 (initTransportsRank)",
        .duplicate_text = "Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to enable "
                          "this configuration.",
        .duplicate = kDuplicate30,
        .oom_at = "include/alloc.h:514 (ncclCudaCallocAsyncDebug)",
        .calloc_at = "include/alloc.h:520 (ncclCudaCallocAsyncDebug)",
        .oom = kOom30,
        .illegal_at = "enqueue.cc:1839 (ncclLaunchKernel)",
        .illegal = kIllegal30,
        .completion_at = "transport/net_ib/p2p.cc:688 (ncclIbLogCompletionWithError)",
        .async_at = "transport/net_ib/common.cc:179 (ncclIbAsyncThreadMain)",
        .completion = kCompletion30,
        .connect_at = "os/linux.cc:302 (ncclOsSocketStartConnect)",
        .connect = kConnect30,
        .version_at = "bootstrap.cc:335 (bootstrapRoot)",
        .version_trace = {}}};

}  // namespace

std::span<const Era> Eras() { return kEras; }

const Era* FindEra(std::string_view version) {
  for (const Era& era : kEras) {
    if (era.version == version) return &era;
  }
  return nullptr;
}

}  // namespace ncclwhy::bench
