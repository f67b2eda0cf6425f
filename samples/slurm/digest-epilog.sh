#!/usr/bin/env bash
# For Epilog in slurm.conf: when a job ends, each of its nodes digests the logs that exist only there. Works as the job's
# user, for 60 seconds at most, and always succeeds: an epilog that fails takes its node out of service.
#
#   NCCLWHY_LOGS     a job's logs on its node; %j is the job   /var/log/nccl/%j
#   NCCLWHY_DIGESTS  a folder that all nodes share             /shared/ncclwhy/%j
set -u
PATH=$PATH:/usr/local/bin:/usr/bin:/bin
job=${SLURM_JOB_ID:?}
node=${SLURMD_NODENAME:-$(hostname -s)}
logs=${NCCLWHY_LOGS:-/var/log/nccl/%j}
logs=${logs//%j/$job}
digests=${NCCLWHY_DIGESTS:-/shared/ncclwhy/%j}
digests=${digests//%j/$job}
[ -e "$logs" ] || exit 0
as_user=()
[ "$(id -u)" != 0 ] || [ "${SLURM_JOB_USER:-root}" = root ] || as_user=(runuser -u "$SLURM_JOB_USER" --)
"${as_user[@]}" timeout --kill-after=5 60 bash -c '
  mkdir -p "$3" && exec ncclwhy digest --quiet "$1" --as "$2" -o "$3/$2.digest"' - "$logs" "$node" "$digests"
exit 0
