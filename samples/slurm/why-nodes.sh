#!/usr/bin/env bash
# In a job's script, behind the command: srun train.sh || why-nodes.sh
# Each node of the job digests its own logs, all at once, and this task reads the digests. A node that does not answer is
# named, and the others still are.
#
#   NCCLWHY_LOGS     a job's logs on its node; %j is the job   /var/log/nccl/%j
#   NCCLWHY_DIGESTS  a folder that all nodes share             ncclwhy-%j
#   NCCLWHY_SECONDS  for a node                                120
# Arguments go to ncclwhy: -o why.html, further logs. The exit status is ncclwhy's.
set -u
job=${SLURM_JOB_ID:?"is for the script of a Slurm job"}
logs=${NCCLWHY_LOGS:-/var/log/nccl/%j}
logs=${logs//%j/$job}
digests=${NCCLWHY_DIGESTS:-ncclwhy-%j}
digests=${digests//%j/$job}
mkdir -p "$digests" || exit 2
digests=$(realpath "$digests")
# One step for each node: a step over all nodes does not begin when one of them is gone.
nodes=$(scontrol show hostnames "${SLURM_JOB_NODELIST:?}")
for node in $nodes; do
  timeout --kill-after=5 "${NCCLWHY_SECONDS:-120}" srun --overlap --nodelist="$node" --nodes=1 --ntasks=1 --quiet \
    ncclwhy digest --quiet "$logs" --as "$node" -o "$digests/$node.digest" < /dev/null &
done
wait
read_nodes=()
for node in $nodes; do
  if [ -s "$digests/$node.digest" ]; then
    read_nodes+=("$digests/$node.digest")
  else
    echo "why-nodes: no digest of $node: what its logs say is not in this answer" >&2
  fi
done
[ ${#read_nodes[@]} != 0 ] || exit 2
exec ncclwhy "$@" -- "${read_nodes[@]}"
