//! The topology as the library hwloc tells it.

use hwlocality::Topology as Machine;
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::distance::DistancesKind;
use hwlocality::object::types::{CacheType, ObjectType};
use hwlocality::topology::builder::TypeFilter;

use super::{Cache, CacheKind, Core, NumaNode, Source, Topology, TopologyError};

/// Asks hwloc for the topology, restricted to the hardware threads `allowed`.
///
/// # Errors
/// hwloc fails, or knows none of these hardware threads.
pub(super) fn read(allowed: &[u32]) -> Result<Topology, TopologyError> {
    let failed = |error: &dyn std::fmt::Display| TopologyError::Hwloc(error.to_string());
    let builder = Machine::builder().with_cpu_icache_type_filter(TypeFilter::KeepAll);
    let machine = builder.map_err(|e| failed(&e))?.build().map_err(|e| failed(&e))?;

    let mut memories: Vec<&TopologyObject> = machine.objects_with_type(ObjectType::NUMANode).collect();
    memories.sort_by_key(|node| node.os_index());
    let nodes: Vec<NumaNode> = memories.iter().map(|node| describe(node)).collect();
    let threads_of = |object: &TopologyObject| -> Vec<u32> {
        let set = object.cpuset();
        let numbers = set.iter().flat_map(|s| s.iter_set()).map(|index| usize::from(index) as u32);
        numbers.filter(|t| allowed.contains(t)).collect()
    };
    let core = |object: &TopologyObject| {
        let node = object.nodeset().and_then(|set| set.first_set()).map(usize::from);
        let package = object.first_ancestor_with_type(ObjectType::Package).and_then(|p| p.os_index());
        Core {
            node: nodes.iter().position(|n| Some(n.number as usize) == node).unwrap_or(0),
            package: package.unwrap_or(0) as u32,
            threads: threads_of(object),
        }
    };
    let cores: Vec<Core> = machine.objects_with_type(ObjectType::Core).map(core).collect();
    let cores: Vec<Core> = cores.into_iter().filter(|c| !c.threads.is_empty()).collect();
    if cores.is_empty() || nodes.is_empty() {
        return Err(TopologyError::Hwloc("no core that may be used is known".to_owned()));
    }
    let caches = machine.normal_objects().filter_map(|object| {
        let Some(ObjectAttributes::Cache(cache)) = object.attributes() else { return None };
        let kind = match cache.cache_type() {
            CacheType::Data => CacheKind::Data,
            CacheType::Instruction => CacheKind::Instruction,
            _ => CacheKind::Unified,
        };
        let threads = threads_of(object);
        let bytes = cache.size()?.get();
        (!threads.is_empty()).then(|| Cache { level: cache.depth() as u32, kind, bytes, threads })
    });
    let caches = caches.collect();
    let distances = distances(&machine, &memories).unwrap_or_default();
    Ok(Topology { source: Source::Hwloc, nodes, cores, caches, distances }.sorted())
}

fn describe(node: &TopologyObject) -> NumaNode {
    let number = node.os_index().unwrap_or(0) as u32;
    let memory = match node.attributes() {
        Some(ObjectAttributes::NUMANode(attributes)) => attributes.local_memory().map(|m| m.get()),
        _ => None,
    };
    NumaNode { number, memory }
}

/// The distances between nodes, if hwloc knows those of all.
fn distances(machine: &Machine, nodes: &[&TopologyObject]) -> Option<Vec<Vec<u32>>> {
    let latencies = DistancesKind::FROM_OS | DistancesKind::MEANS_LATENCY;
    let known = machine.distances_with_type(Some(latencies), ObjectType::NUMANode).ok()?;
    let matrix = known.first()?;
    let pair = |from: &TopologyObject, to| matrix.object_pair_distance((from, to)).map(|d| d.0 as u32);
    nodes.iter().map(|from| nodes.iter().map(|to| pair(from, to)).collect()).collect()
}
