//! A material for drivers without a graphics card: it costs a processor a few operations for each pixel.
//!
//! kiss3d's own material computes gloss, shadows and more in a shader that branches on uniforms. Mesa's software driver makes
//! a new variant of such a shader for each draw, which takes longer than drawing, and that of Mesa 22.3 keeps them all.

mod pipeline;
mod uniforms;

use std::any::Any;
use std::array::from_fn;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use kiss3d::camera::Camera3d;
use kiss3d::context::Context;
use kiss3d::glamx::{Mat4, Pose3, Vec3};
use kiss3d::light::LightCollection;
use kiss3d::resource::vertex_index::VERTEX_INDEX_FORMAT;
use kiss3d::resource::{
    DynamicUniformBuffer, GpuData, GpuMesh3d, Material3d, MaterialManager3d, PipelineCache, RenderContext,
    RenderPhase, Texture,
};
use kiss3d::scene::{InstancesBuffer3d, ObjectData3d};

use pipeline::{NAME, group, layout, pipeline, uniforms};
use uniforms::{FrameRows, ObjectRows, frame_rows};

/// As kiss3d shares a material among objects.
pub(super) type Material = Rc<RefCell<Box<dyn Material3d + 'static>>>;

/// Makes the material, known to kiss3d, which tells it when frames begin.
pub(super) fn matte() -> Material {
    let material: Material = Rc::new(RefCell::new(Box::new(Matte::new())));
    MaterialManager3d::get_global_manager(|materials| materials.add(material.clone(), NAME));
    material
}

struct Matte {
    /// By what is seen of a triangle, its front or both sides, and whether something behind it is seen.
    pipelines: [[PipelineCache; 2]; 2],
    frame: DynamicUniformBuffer<FrameRows>,
    frame_group: wgpu::BindGroup,
    objects: DynamicUniformBuffer<ObjectRows>,
    objects_layout: wgpu::BindGroupLayout,
    objects_group: wgpu::BindGroup,
    image_layout: wgpu::BindGroupLayout,
}

/// What is kept for each object.
#[derive(Default)]
struct Drawn {
    /// Where its uniforms are.
    offset: u32,
    image: Option<(Arc<Texture>, wgpu::BindGroup)>,
}

impl GpuData for Drawn {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Matte {
    fn new() -> Self {
        let context = Context::get();
        let frame_layout = layout(&context, &[uniforms(wgpu::ShaderStages::VERTEX_FRAGMENT)]);
        let objects_layout = layout(&context, &[uniforms(wgpu::ShaderStages::VERTEX)]);
        let image = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let image_layout = layout(
            &context,
            &[(image, wgpu::ShaderStages::FRAGMENT), (sampler, wgpu::ShaderStages::FRAGMENT)],
        );
        let together = context.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(NAME),
            bind_group_layouts: &[Some(&frame_layout), Some(&objects_layout), Some(&image_layout)],
            immediate_size: 0,
        });
        let shader = context.create_shader_module(Some(NAME), include_str!("matte.wgsl"));
        let pipelines = from_fn(|both_sides| {
            from_fn(|translucent| {
                let (together, shader) = (together.clone(), shader.clone());
                let cull = [Some(wgpu::Face::Back), None][both_sides];
                let colored = ["opaque", "sieve"][translucent];
                PipelineCache::new(move |samples| pipeline(&together, &shader, cull, colored, samples))
            })
        });
        let frame = DynamicUniformBuffer::with_capacity(NAME, 1);
        let objects = DynamicUniformBuffer::new(NAME);
        Self {
            pipelines,
            frame_group: group(&context, &frame_layout, frame.buffer(), frame.aligned_size()),
            frame,
            objects_group: group(&context, &objects_layout, objects.buffer(), objects.aligned_size()),
            objects,
            objects_layout,
            image_layout,
        }
    }
}

impl Material3d for Matte {
    fn create_gpu_data(&self) -> Box<dyn GpuData> {
        Box::new(Drawn::default())
    }

    fn begin_frame(&mut self) {
        self.frame.clear();
        self.objects.clear();
    }

    fn prepare(
        &mut self,
        pass: usize,
        pose: Pose3,
        scale: Vec3,
        camera: &mut dyn Camera3d,
        lights: &LightCollection,
        data: &ObjectData3d,
        gpu_data: &mut dyn GpuData,
        _width: u32,
        _height: u32,
    ) {
        if self.frame.is_empty() {
            self.frame.push(&frame_rows(pass, camera, lights));
        }
        let Some(drawn) = gpu_data.as_any_mut().downcast_mut::<Drawn>() else { return };
        let [x, y, z, w] = (pose.to_mat4() * Mat4::from_scale(scale)).to_cols_array_2d();
        let c = data.color();
        drawn.offset = self.objects.push(&[x, y, z, w, [c.r, c.g, c.b, c.a]]);
        let texture = data.texture();
        if drawn.image.as_ref().is_none_or(|(old, _)| !Arc::ptr_eq(old, texture)) {
            let entries = [
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(&texture.view),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::Sampler(&texture.sampler),
                },
            ];
            let group = Context::get().create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(NAME),
                layout: &self.image_layout,
                entries: &entries,
            });
            drawn.image = Some((texture.clone(), group));
        }
    }

    fn flush(&mut self) {
        self.frame.flush();
        if self.objects.flush() {
            let (buffer, size) = (self.objects.buffer(), self.objects.aligned_size());
            self.objects_group = group(&Context::get(), &self.objects_layout, buffer, size);
        }
    }

    fn render(
        &mut self,
        _pass: usize,
        _pose: Pose3,
        _scale: Vec3,
        _camera: &mut dyn Camera3d,
        _lights: &LightCollection,
        data: &ObjectData3d,
        mesh: &mut GpuMesh3d,
        _instances: &mut InstancesBuffer3d,
        gpu_data: &mut dyn GpuData,
        pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        if context.phase != RenderPhase::Opaque || !data.surface_rendering_active() {
            return;
        }
        let Some(Drawn { offset, image: Some((_, image)) }) = gpu_data.as_any_mut().downcast_mut() else {
            return;
        };
        let Some((coords, faces, normals, tex_coords)) = mesh.ensure_on_gpu() else { return };
        let (both_sides, translucent) = (!data.backface_culling_enabled(), data.color().a < 1.0);
        let pipeline = &self.pipelines[usize::from(both_sides)][usize::from(translucent)];
        pass.set_pipeline(&pipeline.get(context.sample_count));
        pass.set_bind_group(0, &self.frame_group, &[0]);
        pass.set_bind_group(1, &self.objects_group, &[*offset]);
        pass.set_bind_group(2, &*image, &[]);
        pass.set_vertex_buffer(0, coords.slice(..));
        pass.set_vertex_buffer(1, normals.slice(..));
        pass.set_vertex_buffer(2, tex_coords.slice(..));
        pass.set_index_buffer(faces.slice(..), VERTEX_INDEX_FORMAT);
        pass.draw_indexed(0..mesh.num_indices(), 0, 0..1);
    }
}
