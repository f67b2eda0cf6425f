#!/usr/bin/env bash
# mpirun --map-by ppr:1:node why-tree.sh [OPTIONS of ncclwhy], behind a job: one process a node digests the logs that lie there,
# the digests are merged up a tree, and rank 0 answers. No process reads more than its own node and a few digests.
#
#   NCCLWHY_LOGS     a node's logs; %n is the node               /var/log/nccl
#   NCCLWHY_DIGESTS  a folder that all nodes share, a new one    ncclwhy-tree-RUN
#   NCCLWHY_FAN      digests that one process merges             16
#   NCCLWHY_SECONDS  for each level of the tree                  120
# A node that leaves no digest is named, and its branches are read without it. The exit status of rank 0 is ncclwhy's, of the
# others 0.
set -u
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:?"is started by mpirun or srun"}}}}
size=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:?}}}
run=${PMIX_NAMESPACE:-${OMPI_MCA_ess_base_jobid:-${SLURM_JOB_ID:-0}}}
node=${NCCLWHY_NODE:-$(hostname -s)}
logs=${NCCLWHY_LOGS:-/var/log/nccl}
logs=${logs//%n/$node}
digests=${NCCLWHY_DIGESTS:-ncclwhy-tree-$run}
fan=${NCCLWHY_FAN:-16}
mkdir -p "$digests" || exit 2

# Levels below a process, and until when it waits for its branches: theirs are waited for first.
levels() { local first=$1 n=0; while ((first = first * fan + 1, first < size)); do n=$((n + 1)); done; echo $n; }
until=$((SECONDS + ${NCCLWHY_SECONDS:-120} * $(levels "$rank")))

ncclwhy digest --quiet "$logs" --as "$node" -o "$digests/$rank.own"
merged=()
[ -s "$digests/$rank.own" ] && merged+=("$digests/$rank.own") || echo "why-tree: no digest of $node: what its logs say is not in this answer" >&2

# The digests below process $1; of a branch whose head left none those of its own branches.
branches() {
  local child
  for ((child = $1 * fan + 1; child <= $1 * fan + fan && child < size; child++)); do
    while [ ! -s "$digests/$child.digest" ] && ((SECONDS < until)); do sleep 0.1; done
    if [ -s "$digests/$child.digest" ]; then
      merged+=("$digests/$child.digest")
    else
      echo "why-tree: no digest of process $child: what the logs of its node say is not in this answer" >&2
      branches "$child"
    fi
  done
}
branches "$rank"
if [ "$rank" = 0 ]; then
  [ ${#merged[@]} != 0 ] || exit 2
  exec ncclwhy "$@" -- "${merged[@]}"
fi
[ ${#merged[@]} = 0 ] || ncclwhy digest --quiet "${merged[@]}" -o "$digests/$rank.digest"
exit 0
